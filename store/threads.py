"""Threads: their ids and their owners."""

import re
from dataclasses import dataclass
from uuid import UUID, uuid4, uuid5

from store.arguments import check_name
from store.errors import AccessDeniedError
from store.postgres import Connection, Pool

_NAMESPACE = UUID("6f0c9d5e-8a5b-5e0e-9a77-3f2f5b8a3c11")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


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
