"""The routes beside a LangGraph server's own; ``http.app`` in ``langgraph.json`` names ``app``."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from graph.server import health
from graph.worker import worker
from store.resources import resources


@asynccontextmanager
async def _lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Open what turns need before the first one comes, and read quiet threads for memories meanwhile."""
    opened = await resources()
    if not opened.settings.worker:
        yield
        return
    async with worker(opened):
        yield


# Given as plain routes: a LangGraph server wraps each of them, and cannot wrap an included router.
app = FastAPI(
    title="SupportPilot",
    description="What a support desk needs beside threads and runs.",
    lifespan=_lifespan,
    routes=[*health.router.routes],
)
