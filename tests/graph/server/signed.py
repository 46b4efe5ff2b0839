import json
from typing import Any

import httpx


def tokens(tenant: str) -> dict[str, dict[str, Any]]:
    """Return the tokens of two users and one of the staff, and of a namesake in another tenant."""
    return {
        "ann": {"user_id": "ann", "tenant": tenant},
        "ben": {"user_id": "ben", "tenant": tenant},
        "other": {"user_id": "ann", "tenant": f"not-{tenant}"},
        "desk": {"user_id": "desk", "tenant": tenant, "staff": True},
    }


class Signed:
    """Requests to a server in the name of a user, whose token is their name; without a user nobody signs in."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def __call__(
        self, method: str, path: str, body: object = None, *, user: str = "ann", **headers: str
    ) -> httpx.Response:
        signed = {"Authorization": f"Bearer {user}"} if user else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        # Not httpx's own JSON, which cannot write half a character; a browser escapes it.
        content = None if body is None else json.dumps(body)
        typed = {} if body is None else {"Content-Type": "application/json"}
        return await self._http.request(method, path, content=content, headers=typed | signed | given)
