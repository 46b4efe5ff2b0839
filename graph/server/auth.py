"""Sign-in for a LangGraph server; ``auth.path`` in ``langgraph.json`` names ``auth``."""

from collections.abc import Mapping
from typing import Any

from langgraph_sdk import Auth

from graph.server.access import permit
from graph.server.signin import principal_of_user, sign_in, user_of_principal
from store.errors import AccessDeniedError, LimitError, MessageTooLongError

auth = Auth()


@auth.authenticate
async def authenticate(scope: Mapping[str, Any]) -> Auth.types.MinimalUserDict:
    """Return who sends a request, before anything of it is read."""
    try:
        return user_of_principal(sign_in(scope))
    except AccessDeniedError as error:
        raise Auth.exceptions.HTTPException(401, str(error), {"WWW-Authenticate": "Bearer"}) from error


@auth.on
async def authorize(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Auth.types.HandlerResult:
    """Allow, narrow down or refuse what a user asks of threads, runs, assistants, crons and the store."""
    try:
        return await permit(principal_of_user(ctx.user), f"{ctx.resource}.{ctx.action}", value)
    except AccessDeniedError as error:
        raise Auth.exceptions.HTTPException(403, str(error)) from error
    except MessageTooLongError as error:
        raise Auth.exceptions.HTTPException(413, str(error)) from error
    except LimitError as error:
        raise Auth.exceptions.HTTPException(429, str(error), {"Retry-After": "10"}) from error
