"""One turn at a time on a thread, across all processes: a Postgres advisory lock, and what runs under it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from typing import TypeVar

import psycopg

from store.errors import StoreError
from store.postgres import Connection, Pool

LOCK_SEED = 42
"""Of the hash of a thread id that is the key of its advisory lock."""

Item = TypeVar("Item")


class Held:
    """A thread that is held. When the lock is lost, what runs under it is cancelled, for another may hold it then."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._inside = True  # the run works, not the caller
        self._lost = False
        self._over = False  # the lock is given back

    async def over(self, run: AsyncGenerator[Item]) -> AsyncGenerator[Item]:
        """Iterate over a run of the turn.

        A lock that is lost cancels the run, and not the caller while that handles what was yielded: the run then ends
        at its next step.

        Raises:
            StoreError: the lock was lost meanwhile.
        """
        async with aclosing(run):
            while True:
                try:
                    with self.marked():
                        item = await anext(run)
                except StopAsyncIteration:
                    return
                self._inside = False
                yield item
                self._inside = True
                if self._lost:
                    raise _lost_lock()

    @contextmanager
    def marked(self) -> Iterator[None]:
        """Mark what is done meanwhile, and the tasks that it begins, as the turn's: see `check_held`."""
        token = _turn.set(self)
        try:
            yield
        finally:
            _turn.reset(token)

    def check(self) -> None:
        """Refuse to go on when the thread is not held any more.

        Raises:
            StoreError: the lock was lost, or given back.
        """
        if self._lost or self._over:
            raise _lost_lock()

    @asynccontextmanager
    async def watched(self, connection: Connection) -> AsyncIterator[None]:
        """Run something as long as an idle connection lives.

        Raises:
            StoreError: it was lost.
        """
        watching = asyncio.create_task(_until_lost(connection))
        watching.add_done_callback(self._stop)
        try:
            yield
        except asyncio.CancelledError:
            if not self._lost or self._task is None:
                raise
            self._task.uncancel()
            raise _lost_lock() from None
        finally:
            self._inside, self._over = False, True
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def _stop(self, watching: asyncio.Task[None]) -> None:
        if watching.cancelled():
            return
        self._lost = True
        if self._inside and self._task is not None:
            self._task.cancel()


_turn: ContextVar[Held | None] = ContextVar("_turn", default=None)


def check_held() -> None:
    """Let a turn write only as long as it holds its thread.

    A write that waited for a connection while the database was away would else come after another process took the
    thread, read it and went on: two answers to one message.

    Raises:
        StoreError: the turn that this belongs to holds its thread no more.
    """
    if (held := _turn.get()) is not None:
        held.check()


@asynccontextmanager
async def turn_lock(pool: Pool, thread: str) -> AsyncIterator[Held]:
    """Wait for the thread's turn to end, then hold the thread across all processes.

    Args:
        pool: a pool of its own, for every waiter holds a connection.
        thread: the thread's id.

    Raises:
        StoreError: the connection that holds the lock was lost.
    """
    key = (thread, LOCK_SEED)
    async with pool.connection() as connection:
        await connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, %s))", key)
        held = Held()
        try:
            async with held.watched(connection):
                yield held
        finally:
            with suppress(psycopg.OperationalError):  # a connection that is lost holds nothing
                await connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, %s))", key)


def _lost_lock() -> StoreError:
    return StoreError("The connection to Postgres that held this thread was lost. Send the message again.")


async def _until_lost(connection: Connection) -> None:
    with suppress(psycopg.OperationalError):
        async for _ in connection.notifies():
            pass
