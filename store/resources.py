"""What nodes work with beside the state: settings, connections, the knowledge index."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar
from weakref import WeakKeyDictionary

from store.embedding import open_embedder
from store.knowledge import Knowledge, open_knowledge
from store.memories import MemoryStore
from store.persistence import open_persistence
from store.postgres import Pool, open_pool
from store.reranking import open_reranker
from store.sample import ensure_sample
from store.second_stage import open_second_stage
from store.settings import Settings, settings


@dataclass(frozen=True, slots=True)
class Resources:
    """The open resources of a process; cheap to hand around, closed by whoever opened them."""

    settings: Settings
    pool: Pool
    locks: Pool
    """For `turn_lock` alone: whoever waits for a thread holds a connection."""
    knowledge: Knowledge
    memories: MemoryStore


Item = TypeVar("Item")

_given: ContextVar[Resources | None] = ContextVar("_given", default=None)
_kept: list[AsyncExitStack] = []
"""What is open as long as the process; a stack that nobody holds is collected, and closes its pools."""
_opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Resources]] = WeakKeyDictionary()


async def resources() -> Resources:
    """Return the resources of the running turn: those that it was given, else one set for the event loop.

    A server calls the graph without opening anything, so its first turn opens the loop's set from the
    environment; it stays open as long as the process.
    """
    given = _given.get()
    if given is not None:
        return given
    loop = asyncio.get_running_loop()
    if loop not in _opening or (_opening[loop].done() and _opening[loop].exception() is not None):
        _opening[loop] = loop.create_task(_open_for_process())
    # Shielded: a turn that is cancelled must not take the opening away from the others that wait for it.
    return await asyncio.shield(_opening[loop])


@contextmanager
def given(opened: Resources) -> Iterator[None]:
    """Have what runs within use these resources."""
    token = _given.set(opened)
    try:
        yield
    finally:
        _given.reset(token)


async def using(opened: Resources, run: AsyncIterator[Item]) -> AsyncGenerator[Item]:
    """Iterate over a run whose nodes are to use these resources; a run that is left early is closed with it.

    They are set for each step alone: between two steps the caller's own context holds.
    """
    try:
        while True:
            with given(opened):
                try:
                    item = await anext(run)
                except StopAsyncIteration:
                    return
            yield item
    finally:
        if isinstance(run, AsyncGenerator):
            await run.aclose()


@asynccontextmanager
async def open_resources(configured: Settings, pool: Pool, memories: MemoryStore) -> AsyncIterator[Resources]:
    """Open what nodes work with on a migrated database."""
    async with (
        open_knowledge(
            pool, open_embedder(configured), open_reranker(configured), open_second_stage(pool)
        ) as knowledge,
        open_pool(configured) as locks,
    ):
        yield Resources(settings=configured, pool=pool, locks=locks, knowledge=knowledge, memories=memories)


async def _open_for_process() -> Resources:
    configured, stack = settings(), AsyncExitStack()
    _kept.append(stack)
    pool, _saver, memories = await stack.enter_async_context(open_persistence(configured))
    opened = await stack.enter_async_context(open_resources(configured, pool, memories))
    await ensure_sample(opened.knowledge)
    return opened
