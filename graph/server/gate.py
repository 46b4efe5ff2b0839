"""What a LangGraph server serves beside its API without asking who it is, closed to all but this machine's developer."""

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from graph.server.signin import OPEN_PATHS, sign_in
from store.errors import AccessDeniedError

_OPEN = OPEN_PATHS | {"/", "/ok", "/info", "/metrics", "/docs", "/openapi.json"}
_GUARDED = frozenset(
    {"approvals", "assistants", "feedback", "inspect", "memories", "runs", "store", "threads", "tickets"}
)
"""First parts of the paths for which the server signs users in itself."""


class Gate:
    """Middleware that answers 404 on paths which nobody here knows to be guarded.

    The development server has some: one gives away raw threads, one deletes everything, one deploys. What a later version
    adds is closed until it stands above.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Stand before an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] in {"http", "websocket"} and not _may_pass(scope):
            await JSONResponse({"detail": "Not Found"}, 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _may_pass(scope: Scope) -> bool:
    path: str = scope["path"]
    if path in _OPEN or path.split("/")[1] in _GUARDED:
        return True
    try:
        return sign_in(scope).developer
    except AccessDeniedError:
        return False
