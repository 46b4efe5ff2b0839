"""Threads: their ids, their owners, and one turn at a time on each."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID, uuid4, uuid5

import psycopg

from store.arguments import check_name
from store.errors import AccessDeniedError, StoreError
from store.postgres import Connection, Pool

_NAMESPACE = UUID("6f0c9d5e-8a5b-5e0e-9a77-3f2f5b8a3c11")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LOCK_SEED = 42
"""Of the hash of a thread id that is the key of its advisory lock."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose conversation it is; an empty user is nobody in particular.

    Raises:
        MalformedError: a part is no text, or holds NUL or a lone surrogate.
    """

    tenant: str
    user_id: str

    def __post_init__(self) -> None:
        check_name("Tenant", self.tenant)
        check_name("User", self.user_id)


def resolve_thread(owner: Owner, thread: str) -> str:
    """Return the id behind a thread's name; an id stands for itself, an empty name for a new thread.

    Raises:
        MalformedError: it is no text, or holds NUL or a lone surrogate.
    """
    check_name("Thread", thread)
    if not thread:
        return str(uuid4())
    return thread if _ID.fullmatch(thread) else thread_id(owner, thread)


def thread_id(owner: Owner, name: str) -> str:
    """Return the id of the thread that an owner calls by a name: a uuid5, the same in every process.

    The parts are joined by NUL, which none of them can hold, so that no two owners meet on one id.
    """
    return str(uuid5(_NAMESPACE, f"{owner.tenant}\0{owner.user_id}\0{name}"))


async def claim(pool: Pool, thread: str, owner: Owner, name: str) -> None:
    """Make a thread its first user's, or check that it is this user's already.

    Raises:
        AccessDeniedError: the thread belongs to somebody else.
    """
    async with pool.connection() as connection:
        found = await _owner_of(connection, thread)
        if found is None:  # mostly it is there, and asking costs no commit
            await connection.execute(
                "INSERT INTO threads (thread_id, tenant, user_id, name) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (thread, owner.tenant, owner.user_id, name),
            )
            found = await _owner_of(connection, thread)
    if found != owner:
        raise AccessDeniedError(f"Thread {thread!r} belongs to another user. Use a thread name of your own.")


async def owner_of(pool: Pool, thread: str) -> Owner | None:
    """Return whose a thread is; nothing if there is no such thread."""
    try:
        UUID(thread)
    except ValueError:
        return None
    async with pool.connection() as connection:
        return await _owner_of(connection, thread)


async def _owner_of(connection: Connection, thread: str) -> Owner | None:
    cursor = await connection.execute("SELECT tenant, user_id FROM threads WHERE thread_id = %s", (thread,))
    row = await cursor.fetchone()
    return Owner(row["tenant"], row["user_id"]) if row else None


Item = TypeVar("Item")


class Held:
    """A thread that is held. What runs under it is stopped when the lock is lost, for then another may hold it."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self._inside = True
        self._lost = False
        self._over = False

    async def over(self, run: AsyncGenerator[Item]) -> AsyncGenerator[Item]:
        """Iterate over a run of the turn; whoever takes what it yields is not stopped, the run is after it.

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
