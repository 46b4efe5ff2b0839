from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from store.checkpoints import Checkpointer
from store.memories import MemoryStore
from store.memory import Memory
from store.persistence import open_persistence
from store.postgres import Pool
from store.retention import expire, expired
from store.settings import Settings, load_settings
from store.threads import Owner, claim
from store.transfer import write_memories
from store.turn_lock import turn_lock
from tests.conftest import create_database

_KEPT = {"thread_days": 30, "memory_days": 90}


@pytest.fixture(scope="module")
def kept(server_url: str) -> Settings:
    """Settings that keep threads for 30 days and memories for 90, on a database of their own."""
    return load_settings(database_url=create_database(server_url, f"retention-{uuid4().hex[:8]}"), **_KEPT)


async def _thread(pool: Pool, saver: Checkpointer, days: int) -> str:
    thread = str(uuid4())
    await claim(pool, thread, Owner("t", "ann"), "")
    config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    checkpoint = empty_checkpoint() | {
        "channel_values": {"messages": [HumanMessage("x")]},
        "channel_versions": {"messages": "1"},
    }
    await saver.aput(config, checkpoint, {}, {"messages": "1"})
    async with pool.connection() as connection:
        await connection.execute(
            """UPDATE checkpoints SET checkpoint = jsonb_set(checkpoint, '{ts}', to_jsonb(now() - make_interval(days => %s)))
               WHERE thread_id = %s""",
            (days, thread),
        )
        await connection.execute(
            "UPDATE threads SET created_at = now() - interval '300 days' WHERE thread_id = %s", (thread,)
        )
    return thread


async def _rows(pool: Pool, thread: str) -> int:
    async with pool.connection() as connection:
        total = 0
        for table in ("threads", "checkpoints", "checkpoint_blobs"):
            row = await (
                await connection.execute(
                    f"SELECT count(*) AS n FROM {table} WHERE thread_id::text = %s".encode(), (thread,)
                )
            ).fetchone()
            total += row["n"] if row else 0
    return total


async def test_old_threads_leave_whole_and_those_in_use_stay_whole(kept: Settings) -> None:
    async with open_persistence(kept) as (pool, saver, _):
        old, young, busy, handed = [await _thread(pool, saver, days) for days in (31, 29, 31, 31)]
        whole = await _rows(pool, young)
        async with pool.connection() as connection:
            await connection.execute(
                """INSERT INTO tickets (key, thread_id, tenant, user_id, reason, summary, tried, evidence, open_questions)
                   VALUES (%s, %s, 't', 'ann', '', '', '[]', '[]', '[]')""",
                (handed, handed),
            )
        async with turn_lock(pool, busy):
            assert (await expired(pool, kept)).rows["threads"] == 2
            receipt = await expire(pool, kept)
        assert receipt.rows["threads"] == 1
        assert [await _rows(pool, thread) for thread in (old, young, busy, handed)] == [
            0,
            whole,
            whole,
            whole,
        ]
        assert (await expire(pool, kept)).rows["threads"] == 1


async def test_old_memories_leave_with_their_vectors(kept: Settings) -> None:
    owner = Owner("t", uuid4().hex)
    async with open_persistence(kept) as (pool, _, memories):
        await write_memories(memories, owner, [_memory("old"), _memory("young")])
        async with pool.connection() as connection:
            await connection.execute(
                "UPDATE store SET updated_at = now() - interval '91 days' WHERE key LIKE 'old%'"
            )
        assert (await expired(pool, kept)).rows["store"] == 1
        receipt = await expire(pool, kept)
        assert receipt.rows["store"] == 1
        assert [one.id for one in await memories.of(owner)] == ["young"]
        async with pool.connection() as connection:
            cursor = await connection.execute("SELECT key FROM store_vectors WHERE key IN ('old', 'young')")
            assert [row["key"] for row in await cursor.fetchall()] == ["young"]


async def test_without_a_setting_nothing_leaves(kept: Settings) -> None:
    for_ever = kept.model_copy(update={"thread_days": None, "memory_days": None})
    async with open_persistence(for_ever) as (pool, saver, memories):
        thread = await _thread(pool, saver, 4000)
        assert isinstance(memories, MemoryStore)
        assert (await expire(pool, for_ever)).total == 0
        assert await _rows(pool, thread) > 1


def _memory(name: str) -> Memory:
    return Memory(
        id=name, kind="fact", slot=f"fact.{name}", text=f"{name} fact", value=name, evidence=(),
        event_time="", written="2026-01-01T00:00:00+00:00", source="user",
    )  # fmt: skip
