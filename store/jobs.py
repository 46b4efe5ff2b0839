"""Durable work on the same Postgres: which threads are to be read for memories, and when.

A job is no more than a thread's id. What has been read is said by the thread's cursor, which is written together with
the memories; so a job that is lost is found again by `queue_unread`, and one that runs twice finds nothing.
"""

from collections.abc import Sequence

from procrastinate.schema import SchemaManager

from store.memory import owner_key
from store.postgres import Connection, Pool
from store.threads import Owner

TASK = "read_thread"
QUEUE = "memory"
STALLED_SECONDS = 10
"""A worker that gave no sign of life for so long is dead, and its jobs are somebody else's."""

# The table itself, not procrastinate's functions: only so are a new job and one put off a single statement.
_QUEUE = """
INSERT INTO procrastinate_jobs (queue_name, task_name, lock, queueing_lock, args, scheduled_at)
SELECT %(queue)s, %(task)s, thread, thread, jsonb_build_object('thread_id', thread, 'owner', owner, 'attempt', %(attempt)s),
       now() + make_interval(secs => %(seconds)s)
FROM unnest(%(threads)s::text[], %(owners)s::text[]) AS queued (thread, owner)
ON CONFLICT (queueing_lock) WHERE status = 'todo' DO UPDATE SET scheduled_at = excluded.scheduled_at
"""
_UNREAD = """
SELECT t.thread_id::text AS thread_id, t.tenant, t.user_id
FROM threads t LEFT JOIN memory_cursors c ON c.thread_id = t.thread_id::text
WHERE t.user_id <> '' AND t.tenant <> '' AND EXISTS (
    SELECT FROM checkpoints k WHERE k.thread_id = t.thread_id::text AND k.checkpoint_ns = ''
    AND k.checkpoint_id > coalesce(c.checkpoint_id, '')
) AND NOT EXISTS (SELECT FROM procrastinate_jobs j WHERE j.lock = t.thread_id::text AND j.status IN ('todo', 'doing'))
"""
_STALLED = """
DELETE FROM procrastinate_jobs j WHERE task_name = %s AND status = 'doing' AND NOT EXISTS (
    SELECT FROM procrastinate_workers w
    WHERE w.id = j.worker_id AND w.last_heartbeat > now() - make_interval(secs => %s)
)
"""


async def set_up_jobs(connection: Connection) -> None:
    """Create the tables of the queue where there are none; call it under ``setup_lock``."""
    row = await (await connection.execute("SELECT to_regclass('procrastinate_jobs') AS found")).fetchone()
    if row is None or row["found"] is None:
        await connection.execute(SchemaManager.get_schema(), prepare=False)


async def queue_reading(pool: Pool, thread: str, owner: Owner, *, seconds: float, attempt: int = 0) -> None:
    """Have a thread read for memories; one that waits already is put off, so that a conversation is read once.

    Args:
        pool: the database.
        thread: the thread's id.
        owner: whose it is; without a user nothing is queued.
        seconds: how long the thread has to be quiet before.
        attempt: how often the reading failed in a row.
    """
    if owner.user_id and owner.tenant:
        await _queue(pool, [thread], [owner], seconds, attempt)


async def queue_unread(pool: Pool, *, seconds: float) -> int:
    """Queue every thread that holds more than was read and that no job waits for, those of dead workers included.

    Returns:
        How many.
    """
    async with pool.connection() as connection:
        await connection.execute(_STALLED, (TASK, STALLED_SECONDS))
        rows = await (await connection.execute(_UNREAD)).fetchall()
    owners = [Owner(row["tenant"], row["user_id"]) for row in rows]
    await _queue(pool, [row["thread_id"] for row in rows], owners, seconds, 0)
    return len(rows)


async def bring_forward(pool: Pool, threads: Sequence[str] = ()) -> None:
    """Make waiting jobs due now: those of some threads, or all."""
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE procrastinate_jobs SET scheduled_at = now() WHERE task_name = %s AND status = 'todo'"
            " AND (cardinality(%s::text[]) = 0 OR lock = ANY(%s))",
            (TASK, list(threads), list(threads)),
        )


async def cursor_of(pool: Pool, thread: str) -> tuple[str, int]:
    """Return how far a thread was read: the last checkpoint, and the first turn not searched for facts.

    The checkpoint is the newest one that is still there and not behind the place; empty: nothing was read.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT facts_to, (SELECT max(k.checkpoint_id) FROM checkpoints k WHERE k.thread_id = c.thread_id"
            " AND k.checkpoint_ns = '' AND k.checkpoint_id <= c.checkpoint_id) AS read_to"
            " FROM memory_cursors c WHERE thread_id = %s",
            (thread,),
        )
        row = await cursor.fetchone()
    return (row["read_to"] or "", row["facts_to"]) if row else ("", 1)


async def _queue(
    pool: Pool, threads: Sequence[str], owners: Sequence[Owner], seconds: float, attempt: int
) -> None:
    values = {
        "queue": QUEUE,
        "task": TASK,
        "threads": list(threads),
        "owners": [owner_key(owner) for owner in owners],
        "seconds": seconds,
        "attempt": attempt,
    }
    async with pool.connection() as connection:
        await connection.execute(_QUEUE, values)
