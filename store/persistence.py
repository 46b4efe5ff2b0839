"""Saver and store, set up: what code, tests and ``langgraph.json`` open in the same way."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from store.checkpoints import Checkpointer
from store.e5 import open_refiner
from store.embedding import open_embedder
from store.jobs import set_up_jobs
from store.memories import MemoryStore
from store.postgres import Pool, migrate, open_pool, setup_lock
from store.settings import Settings, settings


@asynccontextmanager
async def open_persistence(configured: Settings) -> AsyncIterator[tuple[Pool, Checkpointer, MemoryStore]]:
    """Open one pool with the checkpoint saver and the memory store on it, all tables present.

    Raises:
        ConfigError: no database is configured and the embedded one is not installed.
        StoreError: the database is out of reach or of a newer program.
    """
    async with open_pool(configured) as pool:
        embedder = open_embedder(configured)
        saver = Checkpointer(pool)
        memories = MemoryStore(pool, embedder, await embedder.dimensions(), refiner=open_refiner())
        async with setup_lock(pool) as connection:
            await migrate(connection)
            await saver.setup()
            await memories.setup()
            await set_up_jobs(connection)
        yield pool, saver, memories


@asynccontextmanager
async def checkpointer() -> AsyncIterator[Checkpointer]:
    """Open the saver for a LangGraph server; ``checkpointer.path`` in ``langgraph.json`` names it."""
    async with open_persistence(settings()) as (_, saver, _memories):
        yield saver


@asynccontextmanager
async def memory_store() -> AsyncIterator[MemoryStore]:
    """Open the store for a LangGraph server; ``store.path`` in ``langgraph.json`` names it."""
    async with open_persistence(settings()) as (_, _saver, memories):
        yield memories
