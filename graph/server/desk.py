"""What the routes share: who asks, what is open, and which status an error has."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from uuid import UUID

import psycopg
from fastapi import Depends, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BeforeValidator

from graph.builder import compile_graph
from graph.server.signin import principal_of_user
from graph.server.tokens import Principal
from graph.support import Support
from nodes.state import Context
from store.checkpoints import Checkpointer
from store.errors import (
    AccessDeniedError,
    ActionRefusedError,
    AnsweredError,
    LimitError,
    MalformedError,
    MessageTooLongError,
    ModelError,
    NotFoundError,
    RetrievalError,
    StoreError,
    SupportPilotError,
)
from store.postgres import typed
from store.resources import resources
from store.storable import storable
from store.threads import owner_of

STATUSES: dict[type[SupportPilotError], int] = {
    AccessDeniedError: 403,
    MalformedError: 422,
    NotFoundError: 404,
    ActionRefusedError: 409,
    AnsweredError: 409,
    MessageTooLongError: 413,
    LimitError: 429,
    ModelError: 502,
    RetrievalError: 502,
    StoreError: 503,
}
"""HTTP statuses of the errors that a request can end with; any other is the request's own fault."""

_graph = compile_graph()


async def who_asks(request: Request) -> Principal:
    """Return the signed-in user. A developer is asked on behalf of whom: headers ``X-User`` and ``X-Tenant``."""
    principal = principal_of_user(request.user)
    if not principal.developer:
        return principal
    headers = request.headers
    return Principal(
        headers.get("x-tenant", "default"), headers.get("x-user", "developer"), staff=True, developer=True
    )


async def staff(principal: Annotated[Principal, Depends(who_asks)]) -> Principal:
    """Return the signed-in user, who is of the staff."""
    if not principal.staff:
        raise HTTPException(403, "This is for the staff.")
    return principal


async def open_desk() -> Support:
    """Return the product on what this process has open."""
    opened = await resources()
    graph = _graph.copy(update={"checkpointer": Checkpointer(opened.pool), "store": opened.memories})
    return Support(graph, opened)


Asker = Annotated[Principal, Depends(who_asks)]
Staff = Annotated[Principal, Depends(staff)]
Desk = Annotated[Support, Depends(open_desk)]


def _cleaned(value: object) -> object:
    return storable(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_cleaned)]
"""What somebody writes. What Postgres does not take is left out of it, as it is in code: half an emoji, for one."""


def context_of(principal: Principal) -> Context:
    """Return the run context of a signed-in user."""
    return Context(
        user_id=principal.user_id, tenant=principal.tenant, role="staff" if principal.staff else "user"
    )


async def own_thread(desk: Support, asker: Principal, thread: UUID) -> str:
    """Return the id of a thread of somebody's own.

    Raises:
        NotFoundError: there is none of that id, or it is another user's.
    """
    if await owner_of(desk.resources.pool, str(thread)) != asker.owner:
        raise NotFoundError(f"There is no thread {str(thread)!r}.")
    return str(thread)


async def answer_error(_: Request, error: Exception) -> JSONResponse:
    """Answer with an error of the product: what is wrong and what to do, never a trace."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), 400)
    headers = {"Retry-After": "10"} if status in {429, 503} else {}
    return JSONResponse({"detail": str(error)}, status, headers)


async def answer_lost_database(request: Request, error: Exception) -> JSONResponse:
    """Answer a request whose database went away meanwhile: it may be sent again."""
    return await answer_error(request, typed(error))


async def answer_malformed(_: Request, error: RequestValidationError) -> JSONResponse:
    """Say which part of a request is wrong and why, without repeating it: not every value can be written in an answer."""
    wrong = [{name: each[name] for name in ("type", "loc", "msg")} for each in error.errors()]
    return JSONResponse({"detail": storable(wrong)}, 422)


ERRORS: dict[int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
    SupportPilotError: answer_error,
    RequestValidationError: answer_malformed,
    psycopg.Error: answer_lost_database,
}
"""What answers the errors that a request may end with."""
