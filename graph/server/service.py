"""The product as a plain ASGI app: as many workers as one likes on one Postgres, no LangGraph server.

uvicorn graph.server.service:app --workers 2
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, BaseUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from graph.server import turns
from graph.server.desk import ERRORS
from graph.server.routes import ROUTES, lifespan
from graph.server.signin import sign_in, user_of_principal
from store.errors import AccessDeniedError
from store.logs import set_up_logging
from store.settings import settings


class _User(dict[str, Any], BaseUser):
    """A signed-in user, as a LangGraph server hands it on."""

    @property
    def is_authenticated(self) -> bool:
        return bool(self["is_authenticated"])

    @property
    def display_name(self) -> str:
        return str(self["identity"])

    @property
    def identity(self) -> str:
        return str(self["identity"])


class _Bearer(AuthenticationBackend):
    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser]:
        try:
            return AuthCredentials(), _User(user_of_principal(sign_in(conn.scope)))
        except AccessDeniedError as error:
            raise AuthenticationError(str(error)) from error


def _unauthorized(_: HTTPConnection, error: AuthenticationError) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 401, {"WWW-Authenticate": "Bearer"})


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    set_up_logging(settings())
    async with lifespan(app):
        yield


app = FastAPI(
    title="SupportPilot",
    description="Answers support questions from a help centre, with checked citations.",
    lifespan=_lifespan,
    routes=[*turns.router.routes, *ROUTES],
    exception_handlers=ERRORS,
    middleware=[Middleware(AuthenticationMiddleware, backend=_Bearer(), on_error=_unauthorized)],
)
