"""Retention: conversations and memories leave when they are old.

A thread leaves whole. Its ``DeltaChannel`` stores what each step added, so a thread without its older checkpoints
would be a thread without its beginning.
"""

from psycopg.sql import SQL

from store.erasure import Receipt, remove_threads
from store.postgres import Connection, Pool
from store.settings import Settings
from store.turn_lock import LOCK_SEED

_BATCH = 100

_OLD_THREADS = """
SELECT t.thread_id::text AS thread_id FROM threads t
WHERE t.created_at < now() - make_interval(days => %(days)s)
  AND (%(among)s::uuid[] IS NULL OR t.thread_id = ANY(%(among)s::uuid[]))
  AND NOT EXISTS (SELECT FROM checkpoints k WHERE k.thread_id = t.thread_id::text
                  AND (k.checkpoint->>'ts')::timestamptz >= now() - make_interval(days => %(days)s))
  AND NOT EXISTS (SELECT FROM tickets i WHERE i.thread_id = t.thread_id AND i.closed_at IS NULL)
  AND NOT EXISTS (SELECT FROM approvals a WHERE a.thread_id = t.thread_id AND a.status = 'pending')
"""
"""Threads, of all or of some, on which nothing was said for so long and that nobody works on."""

_OLD_MEMORIES = "prefix LIKE 'memories.%%' AND updated_at < now() - make_interval(days => %(days)s)"


async def expired(pool: Pool, settings: Settings) -> Receipt:
    """Count what `expire` would remove; nothing changes."""
    receipt = Receipt()
    async with pool.connection() as connection:
        receipt.rows["threads"] = len(await _old_threads(connection, settings.thread_days))
        receipt.rows["store"] = 0
        if settings.memory_days is not None:
            query = SQL("SELECT count(*) AS n FROM store WHERE ") + SQL(_OLD_MEMORIES)
            row = await (await connection.execute(query, {"days": settings.memory_days})).fetchone()
            receipt.rows["store"] = row["n"] if row else 0
    return receipt


async def expire(pool: Pool, settings: Settings) -> Receipt:
    """Remove what is older than the settings keep it; a thread on which a turn runs waits for the next time.

    Returns:
        Rows that were removed, by table.
    """
    receipt = Receipt()
    async with pool.connection() as connection:
        old = await _old_threads(connection, settings.thread_days)
        for first in range(0, len(old), _BATCH):
            async with connection.transaction():
                idle = await _locked(connection, old[first : first + _BATCH])
                # Asked again under the locks: somebody may have spoken since.
                await remove_threads(
                    connection, await _old_threads(connection, settings.thread_days, idle), receipt
                )
        if settings.memory_days is not None:
            await _remove_memories(connection, settings.memory_days, receipt)
        await connection.execute("DELETE FROM turn_allowance WHERE whole < now() - interval '1 day'")
    return receipt


async def _old_threads(connection: Connection, days: int | None, among: list[str] | None = None) -> list[str]:
    if days is None:
        return []
    rows = await (await connection.execute(_OLD_THREADS, {"days": days, "among": among})).fetchall()
    return [row["thread_id"] for row in rows]


async def _locked(connection: Connection, threads: list[str]) -> list[str]:
    """Take the locks of threads, up to the end of the transaction, where no turn holds them."""
    cursor = await connection.execute(
        "SELECT t FROM unnest(%s::text[]) AS t WHERE pg_try_advisory_xact_lock(hashtextextended(t, %s))",
        (threads, LOCK_SEED),
    )
    return [row["t"] for row in await cursor.fetchall()]


async def _remove_memories(connection: Connection, days: int, receipt: Receipt) -> None:
    """Remove old memories; their vectors go with them."""
    removed = await connection.execute(SQL("DELETE FROM store WHERE ") + SQL(_OLD_MEMORIES), {"days": days})
    receipt.rows["store"] = removed.rowcount
