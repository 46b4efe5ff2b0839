"""Every route of the LangGraph server that is installed, described or not: ``python -m tests.graph.server.installed``."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

_ENVIRONMENT = {
    "LANGGRAPH_RUNTIME_EDITION": "inmem",
    "DATABASE_URI": ":memory:",
    "REDIS_URI": "fake",
    "MIGRATIONS_PATH": "__inmem",
    "LANGSERVE_GRAPHS": "{}",
}
"""As ``langgraph dev`` sets it, for the modules read it when they are imported."""


def installed_routes() -> set[tuple[str, str]]:
    """Return methods and paths, read in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __name__],
        env=os.environ | _ENVIRONMENT,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return {(method, path) for method, path in json.loads(done.stdout.splitlines()[-1])}


def _listed(routes: Any) -> Iterator[tuple[str, str]]:
    for route in routes:
        for method in {*(getattr(route, "methods", None) or ())} - {"HEAD"}:
            yield method, route.path


def _main() -> None:
    from langgraph_api import api  # type: ignore[import-untyped]  # noqa: PLC0415 - no stubs; in a process of its own

    groups = (api.shadowable_meta_routes, api.unshadowable_meta_routes, api.protected_routes)
    sys.stdout.write(json.dumps([one for routes in groups for one in _listed(routes)]) + "\n")


if __name__ == "__main__":
    _main()
