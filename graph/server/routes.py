"""The routes beside a LangGraph server's own; ``http.app`` in ``langgraph.json`` names ``app``."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware import Middleware

from graph.server import approvals, feedback, health, inspect, memory, tickets
from graph.server.desk import ERRORS
from graph.server.dev_state import drop_orphaned_runs
from graph.server.gate import Gate
from graph.telemetry import set_up_telemetry
from graph.worker import worker
from store.logs import mask_logs
from store.resources import resources

ROUTES = [
    route for part in (health, feedback, memory, inspect, approvals, tickets) for route in part.router.routes
]
"""Plain routes: a LangGraph server wraps each of them, and cannot wrap an included router."""


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Open what turns need before the first one comes, and read quiet threads for memories meanwhile."""
    mask_logs()
    set_up_telemetry()
    drop_orphaned_runs()
    opened = await resources()
    _freeze()
    if not opened.settings.worker:
        yield
        return
    async with worker(opened):
        yield


def _freeze() -> None:
    """Leave what is loaded by now out of every later collection of garbage: it stays for good.

    To look through its 190,000 objects took 0.2 seconds on a busy machine, in which all turns of the process stand still.
    """
    gc.collect()
    gc.freeze()


app = FastAPI(
    title="SupportPilot",
    description="What a support desk needs beside threads and runs.",
    lifespan=lifespan,
    routes=ROUTES,
    exception_handlers=ERRORS,
    middleware=[Middleware(Gate)],
)
