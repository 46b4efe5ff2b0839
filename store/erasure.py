"""Forgetting a user: everything that is theirs, in every table, with a receipt of counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from psycopg.sql import SQL, Identifier

from store.memories import MemoryStore
from store.memory import Memory, namespace, owner_key
from store.postgres import Connection, Pool
from store.threads import Owner

_JOBS = SQL("args->>'owner' = %s AND status <> 'doing'")
_EVENTS = SQL("job_id IN (SELECT id FROM procrastinate_jobs WHERE args->>'owner' = %s AND status <> 'doing')")
_SAID = SQL("ticket_id IN (SELECT ticket_id FROM tickets WHERE thread_id::text = ANY(%s))")
_MEMORY_TABLES = ("memory_refined", "store_vectors", "store")
_THREAD_TABLES = (
    "checkpoint_writes",
    "checkpoint_blobs",
    "checkpoints",
    "memory_cursors",
    "approvals",
    "feedback",
    "gaps",
    "tickets",
    "threads",
)
_RAISE_EPOCH = "INSERT INTO memory_epochs VALUES (%s, 1) ON CONFLICT (owner) DO UPDATE SET epoch = memory_epochs.epoch + 1"


@dataclass(slots=True)
class Receipt:
    """What was removed: rows by table, without content. Nothing is there the second time."""

    rows: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Rows that were removed in all."""
        return sum(self.rows.values())


async def forget(store: MemoryStore, owner: Owner, *, threads: bool = False) -> Receipt:
    """Remove everything that is known of a user; what was queued or begun before cannot bring it back.

    Superseded memories, vectors, counters, dead letters and queued work go too. Threads that stay are
    marked as read, so that nothing is learned from them anew. What cannot be reached: the write-ahead log
    and backups, until they are rotated out.

    Args:
        store: the memories.
        owner: who is forgotten.
        threads: also remove the user's threads with all that came of them, gaps of the help centre included.

    Raises:
        AccessDeniedError: tenant or user is missing.
    """
    receipt = Receipt()
    async with store.writing(owner) as connection:
        await connection.execute(_RAISE_EPOCH, (owner_key(owner),))
        await _remove_memories(connection, owner, receipt)
        if threads:
            await remove_threads(connection, await thread_ids(connection, owner), receipt)
        else:
            await _mark_as_read(connection, owner)
    await _vacuum(store.pool, receipt.rows)
    return receipt


async def remove(store: MemoryStore, owner: Owner, memories: Sequence[Memory]) -> None:
    """Remove single memories; what is being written meanwhile and rests on the same is refused.

    Args:
        store: the memories.
        owner: whose they are.
        memories: which; none changes nothing.
    """
    if not memories:
        return
    async with store.writing(owner) as connection:
        await connection.execute(_RAISE_EPOCH, (owner_key(owner),))
        await store.remove(owner, memories)
    await _vacuum(store.pool, _MEMORY_TABLES)


async def thread_ids(connection: Connection, owner: Owner) -> list[str]:
    """Return the ids of a user's threads."""
    cursor = await connection.execute(
        "SELECT thread_id::text AS id FROM threads WHERE tenant = %s AND user_id = %s",
        (owner.tenant, owner.user_id),
    )
    return [row["id"] for row in await cursor.fetchall()]


def prefix_of(owner: Owner) -> str:
    """Return how the store's keys of a user's memories begin."""
    return ".".join(namespace(owner)) + "."


async def _remove_memories(connection: Connection, owner: Owner, receipt: Receipt) -> None:
    person, key = (owner.tenant, owner.user_id), (owner_key(owner),)
    for table in _MEMORY_TABLES:
        await _delete(connection, receipt, table, SQL("starts_with(prefix, %s)"), (prefix_of(owner),))
    for table in ("memory_topics", "memory_dead_letters", "turn_allowance"):
        await _delete(connection, receipt, table, SQL("tenant = %s AND user_id = %s"), person)
    exists = await (await connection.execute("SELECT to_regclass('procrastinate_jobs') AS t")).fetchone()
    if exists and exists["t"]:
        await _delete(connection, receipt, "procrastinate_events", _EVENTS, key)
        await _delete(connection, receipt, "procrastinate_jobs", _JOBS, key)


async def remove_threads(connection: Connection, ids: list[str], receipt: Receipt) -> None:
    """Remove whole threads with everything that came of them.

    Args:
        connection: in a transaction.
        ids: the threads.
        receipt: what is removed is added to it.
    """
    await _delete(connection, receipt, "ticket_messages", _SAID, (ids,))
    for table in _THREAD_TABLES:
        await _delete(connection, receipt, table, SQL("thread_id::text = ANY(%s)"), (ids,))


async def _mark_as_read(connection: Connection, owner: Owner) -> None:
    await connection.execute(
        "INSERT INTO memory_cursors (thread_id, checkpoint_id, facts_to)"
        " SELECT thread_id, max(checkpoint_id), 2147483647 FROM checkpoints"
        " WHERE thread_id = ANY(%s) AND checkpoint_ns = '' GROUP BY thread_id"
        " ON CONFLICT (thread_id) DO UPDATE SET checkpoint_id = excluded.checkpoint_id, facts_to = excluded.facts_to",
        (await thread_ids(connection, owner),),
    )


async def _delete(
    connection: Connection, receipt: Receipt, table: str, condition: SQL, parameters: tuple[object, ...]
) -> None:
    query = SQL("DELETE FROM {} WHERE {}").format(Identifier(table), condition)
    cursor = await connection.execute(query, parameters)
    receipt.rows[table] = receipt.rows.get(table, 0) + cursor.rowcount


async def _vacuum(pool: Pool, tables: Iterable[str]) -> None:
    """Overwrite what was deleted: Postgres leaves the rows in the files of the tables until then."""
    async with pool.connection() as connection:
        for table in tables:
            await connection.execute(SQL("VACUUM {}").format(Identifier(table)))
