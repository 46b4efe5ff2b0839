"""From a request to who sends it, the same behind every server."""

from collections.abc import Mapping
from typing import Any

from langgraph_sdk import Auth

from graph.server.tokens import DEVELOPER, Principal, open_to_developers, read_token
from store.errors import AccessDeniedError
from store.settings import Settings, settings

OPEN_PATHS = frozenset({"/health", "/ready"})
"""What an orchestrator asks without a token; they tell no more than that."""

NOBODY = Principal("", "")
_LOOPBACK = ("127.", "::1", "::ffff:127.")
_FORWARDED = {b"forwarded", b"x-forwarded-for", b"x-real-ip"}


def sign_in(scope: Mapping[str, Any], configured: Settings | None = None) -> Principal:
    """Return who sends a request.

    Args:
        scope: the request's ASGI scope.
        configured: settings; default: those of the environment.

    Raises:
        AccessDeniedError: there is no token, or none that is accepted.
    """
    configured = configured or settings()
    if scope["path"] in OPEN_PATHS:
        return NOBODY
    headers = {bytes(name).lower(): bytes(value) for name, value in scope["headers"]}
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return read_token(token.strip(), configured)
    if open_to_developers(configured) and _on_this_machine(scope, headers):
        return DEVELOPER
    raise AccessDeniedError("No bearer token. Send the header `Authorization: Bearer TOKEN`.")


def user_of_principal(principal: Principal) -> Auth.types.MinimalUserDict:
    """Return a user as a LangGraph server hands it on."""
    user: dict[str, Any] = {
        "identity": principal.user_id,
        "is_authenticated": principal != NOBODY,
        "permissions": ["staff"] if principal.staff else [],
        "tenant": principal.tenant,
        "staff": principal.staff,
        "developer": principal.developer,
    }
    return user  # type: ignore[return-value]  # the server hands on what it does not know, too


def principal_of_user(user: Any) -> Principal:
    """Return who a LangGraph server's user is; ``user`` is what ``user_of_principal`` gave, wrapped by it."""
    return Principal(
        str(user["tenant"]),
        str(user["identity"]),
        staff=bool(user["staff"]),
        developer=bool(user["developer"]),
    )


def _on_this_machine(scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether the client is this machine itself, not somebody for whom a proxy on it speaks."""
    client = scope.get("client") or ("", 0)
    return str(client[0]).startswith(_LOOPBACK) and not _FORWARDED & headers.keys()
