"""Threads: their ids, their owners, and one turn at a time on each."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID, uuid5

from store.errors import AccessDeniedError
from store.postgres import Pool

_NAMESPACE = UUID("6f0c9d5e-8a5b-5e0e-9a77-3f2f5b8a3c11")
LOCK_SEED = 42
"""Of the hash of a thread id that is the key of its advisory lock."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose conversation it is; an empty user is nobody in particular."""

    tenant: str
    user_id: str


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
        await connection.execute(
            "INSERT INTO threads (thread_id, tenant, user_id, name) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (thread, owner.tenant, owner.user_id, name),
        )
        cursor = await connection.execute(
            "SELECT tenant, user_id FROM threads WHERE thread_id = %s", (thread,)
        )
        row = await cursor.fetchone()
    if row is None or (row["tenant"], row["user_id"]) != (owner.tenant, owner.user_id):
        raise AccessDeniedError(f"Thread {thread!r} belongs to another user. Use a thread name of your own.")


async def owner_of(pool: Pool, thread: str) -> Owner | None:
    """Return whose a thread is; nothing if there is no such thread."""
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT tenant, user_id FROM threads WHERE thread_id::text = %s", (thread,)
        )
        row = await cursor.fetchone()
    return Owner(row["tenant"], row["user_id"]) if row else None


@asynccontextmanager
async def turn_lock(pool: Pool, thread: str) -> AsyncIterator[None]:
    """Wait for the thread's turn to end, then hold the thread across all processes.

    Args:
        pool: a pool of its own, for every waiter holds a connection.
        thread: the thread's id.
    """
    async with pool.connection() as connection:
        await connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, %s))", (thread, LOCK_SEED))
        try:
            yield
        finally:
            await connection.execute(
                "SELECT pg_advisory_unlock(hashtextextended(%s, %s))", (thread, LOCK_SEED)
            )
