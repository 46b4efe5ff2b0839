import asyncio
import random
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from store.embedding import Vector
from store.erasure import forget
from store.errors import AccessDeniedError, ConfigError, MalformedError, StoreError
from store.leftovers import rows_left
from store.memories import ForgottenError, MemoryStore
from store.memory import Evidence, Kind, Memory, namespace, to_value
from store.persistence import open_persistence
from store.postgres import Pool
from store.settings import Settings, load_settings
from store.threads import Owner, claim
from store.transfer import (
    add_topics,
    correct_memory,
    export_memories,
    import_memories,
    mark_conflicting,
    topic_counts,
    write_memories,
)
from tests.conftest import create_database


class HashEmbedder:
    """Vectors that follow from the text, without a model."""

    name = "hash"

    async def dimensions(self) -> int:
        return 16

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [_vector(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return (await self.embed_documents([text]))[0]


class GatedEmbedder(HashEmbedder):
    """One that takes until it is let go on."""

    def __init__(self) -> None:
        self.begun, self.gate = asyncio.Event(), asyncio.Event()

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.begun.set()
        await self.gate.wait()
        return await super().embed_documents(texts)


def _vector(text: str) -> Vector:
    found = np.random.default_rng(abs(hash(text)) % 2**32).normal(size=16)
    return [float(x) for x in found / np.linalg.norm(found)]


def memory(text: str, *, kind: Kind = "event", slot: str = "", **more: str) -> Memory:
    return Memory(
        id=more.pop("id", uuid4().hex), kind=kind, slot=slot or f"{kind}.{uuid4().hex[:6]}", text=text, value=text,
        evidence=(Evidence("t", "m", text),), event_time="", written="2026-03-01T00:00:00+00:00", source="user",
        **more,  # type: ignore[arg-type]  # status and valid_to
    )  # fmt: skip


@pytest.fixture(scope="module")
async def store(server_url: str) -> AsyncIterator[MemoryStore]:
    settings = load_settings(database_url=create_database(server_url, f"memories_{uuid4().hex[:8]}"))
    async with open_persistence(settings) as (pool, _, _opened):
        async with pool.connection() as connection:
            await connection.execute("DROP TABLE store_vectors, vector_migrations")
            await connection.execute("DELETE FROM memory_embedder")
        opened = MemoryStore(pool, HashEmbedder(), 16)
        await opened.setup()
        yield opened


async def _count(store: MemoryStore, owner: Owner, *topics: str) -> None:
    async with store.writing(owner) as connection:
        await add_topics(connection, owner, topics)


def _owner() -> Owner:
    return Owner("acme", uuid4().hex)


async def test_the_store_has_no_vector_index_and_finds_all_of_a_heavy_user_among_small_ones(
    store: MemoryStore,
) -> None:
    heavy, texts = _owner(), [f"fact number {n}" for n in range(1000)]
    await write_memories(store, heavy, [memory(text) for text in texts])
    for _ in range(20):
        await write_memories(store, _owner(), [memory(f"other {uuid4().hex}") for _ in range(10)])
    query = _vector("what")
    exact = sorted(texts, key=lambda text: -float(np.dot(query, _vector(text))))[:5]
    found = await store.nearest(heavy, "what", query, limit=5)
    assert [one.text for one, _ in found] == exact
    async with store.pool.connection() as connection:
        indexes = await (
            await connection.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'store_vectors'")
        ).fetchall()
    assert not any("hnsw" in row["indexdef"] for row in indexes)


async def test_ten_thousand_ids_never_meet(store: MemoryStore) -> None:
    chance = random.Random(5)  # noqa: S311 - test data
    pieces = [
        "a",
        "A",
        "ａ",
        "а",
        "u1",
        "u12",
        ".",
        "/",
        "%",
        "_",
        "用户",
        "é",
        "e\u0301",
        " ",
        "'",
        "\\",
        "@",
        "-",
        "~",
        "0",
    ]
    ids = {"".join(chance.choice(pieces) for _ in range(chance.randint(1, 6))) for _ in range(16_000)}
    owners = [Owner(tenant, user) for user in list(ids)[:5_200] for tenant in ("t", "t1")][:10_000]
    assert len(owners) == 10_000
    spaces = {namespace(owner) for owner in owners}
    assert len(spaces) == len(owners)
    assert (
        len({len(".".join(space)) for space in spaces}) == 1
    )  # of one length: none is the prefix of another
    some = owners[:: len(owners) // 60]
    for n, owner in enumerate(some):
        await write_memories(store, owner, [memory(f"of {n}")])
    for n, owner in enumerate(some):
        assert [one.text for one in await store.of(owner)] == [f"of {n}"]
        assert [one.text for one, _ in await store.nearest(owner, "x", _vector("x"), limit=10)] == [f"of {n}"]


@pytest.mark.parametrize("owner", [Owner("acme", ""), Owner("", "ann"), Owner("", "")])
async def test_without_tenant_and_user_nothing_is_read_or_written(store: MemoryStore, owner: Owner) -> None:
    with pytest.raises(AccessDeniedError, match="tenant and a user"):
        await store.of(owner)
    with pytest.raises(AccessDeniedError):
        await write_memories(store, owner, [memory("x")])
    with pytest.raises(AccessDeniedError):
        await forget(store, owner)


async def test_a_bad_value_harms_nobody_and_private_values_are_never_stored(store: MemoryStore) -> None:
    alice, bob = _owner(), _owner()
    await asyncio.gather(
        write_memories(store, alice, [memory("bad \0 value \ud800 call 13812345678")]),
        write_memories(store, bob, [memory("fine")]),
    )
    assert [one.text for one in await store.of(bob)] == ["fine"]
    (kept,) = await store.of(alice)
    assert "bad" in kept.text
    assert "13812345678" not in str(kept)
    async with store.pool.connection() as connection:
        rows = await (await connection.execute("SELECT value::text AS v FROM store")).fetchall()
    assert not any("13812345678" in row["v"] for row in rows)


async def test_a_read_does_not_wait_while_another_user_is_embedded(store: MemoryStore) -> None:
    alice, bob = _owner(), _owner()
    await write_memories(store, bob, [memory("there")])
    slow = GatedEmbedder()
    embedding = MemoryStore(store.pool, slow, 16)
    writing = asyncio.create_task(write_memories(embedding, alice, [memory("later")]))
    async with asyncio.timeout(60):
        await slow.begun.wait()
        assert [one.text for one in await store.of(bob)] == ["there"]
        assert not writing.done()
        slow.gate.set()
        await writing
    assert [one.text for one in await store.of(alice)] == ["later"]


async def test_writers_of_one_user_take_turns_and_no_count_is_lost(store: MemoryStore) -> None:
    owner = _owner()
    await asyncio.gather(*(_count(store, owner, "refund", "export") for _ in range(100)))
    assert await topic_counts(store, owner) == {"export": 100, "refund": 100}
    inside = most = 0

    async def write() -> None:
        nonlocal inside, most
        async with store.writing(owner):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.002)
            inside -= 1

    await asyncio.gather(*(write() for _ in range(8)))
    assert most == 1


async def test_a_changed_text_takes_its_old_vector_with_it(store: MemoryStore) -> None:
    owner = _owner()
    await write_memories(store, owner, [memory("old text", id="one")])
    await write_memories(store, owner, [memory("new text", id="one")])
    ((found, score),) = await store.nearest(owner, "old text", _vector("old text"), limit=5)
    assert found.text == "new text"
    assert score < 0.99


async def test_forgetting_leaves_nothing_anywhere_and_is_a_no_op_the_second_time(store: MemoryStore) -> None:
    owner, other = _owner(), _owner()
    for who in (owner, other):
        await write_memories(store, who, [memory(f"m{n}") for n in range(40)])
        await _count(store, who, "refund")
    thread = str(uuid4())
    await claim(store.pool, thread, owner, "help")
    async with store.pool.connection() as connection:
        await connection.execute(
            "INSERT INTO memory_dead_letters (tenant, user_id, thread_id, answer) VALUES (%s, %s, %s, 'x')",
            (owner.tenant, owner.user_id, thread),
        )
    before = await rows_left(store.pool, owner)
    assert before == {
        "store": 40,
        "store_vectors": 40,
        "memory_topics": 1,
        "memory_dead_letters": 1,
        "threads": 1,
    }
    receipt = await forget(store, owner, threads=True)
    assert {table: count for table, count in receipt.rows.items() if count} == before
    assert await rows_left(store.pool, owner, [thread]) == {}
    assert (await forget(store, owner, threads=True)).total == 0
    assert (await rows_left(store.pool, other))["store"] == 40


async def test_what_is_forgotten_is_taken_out_of_the_files_of_its_tables(store: MemoryStore) -> None:
    async with store.pool.connection() as connection:
        begun = await (await connection.execute("SELECT now() AS at")).fetchone()
        assert begun is not None
        receipt = await forget(store, _owner(), threads=True)
        cursor = await connection.execute(
            "SELECT relname FROM pg_stat_user_tables WHERE last_vacuum > %s", (begun["at"],)
        )
        assert {row["relname"] for row in await cursor.fetchall()} == set(receipt.rows)
    assert {"feedback", "ticket_messages", "approvals", "store", "procrastinate_jobs"} <= set(receipt.rows)


async def test_a_write_begun_before_forgetting_brings_nothing_back_in_1000_races(store: MemoryStore) -> None:
    owner = _owner()
    for _ in range(20):
        epoch = await store.epoch(owner)
        texts = [uuid4().hex for _ in range(50)]
        known = {text: _vector(text) for text in texts}

        async def late(text: str, epoch: int = epoch, known: dict[str, Vector] = known) -> None:
            await asyncio.sleep(random.random() / 50)  # noqa: S311 - a race, not a secret
            try:
                async with store.writing(owner, epoch):
                    await store.save(owner, [memory(text)], known)
            except ForgottenError:
                pass

        await asyncio.gather(*(late(text) for text in texts), forget(store, owner))
        assert await store.of(owner, closed=True) == []


async def test_export_forget_import_gives_the_same_memories(store: MemoryStore) -> None:
    owner = _owner()
    await write_memories(
        store, owner, [memory(f"m{n}", status="superseded" if n % 3 else "active") for n in range(1200)]
    )
    await _count(store, owner, "refund")
    exported = await export_memories(store, owner)
    assert len(exported["memories"]) == 1200
    await forget(store, owner)
    assert await import_memories(store, owner, exported) == 1200
    assert await export_memories(store, owner) == exported


_ROW = to_value(memory("m"))
_EXPORT = {"format": "supportpilot.memories/1", "memories": [_ROW], "topics": {"refund": 1}}


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ([], "dictionary"),
        ({"memories": []}, "format"),
        (_EXPORT | {"format": "other"}, "format"),
        (_EXPORT | {"memories": [{"id": 1}]}, "memories.0"),
        (_EXPORT | {"memories": [_ROW | {"text": 7}]}, "memories.0.text"),
        (_EXPORT | {"memories": [_ROW | {"evidence": "x"}]}, "memories.0.evidence"),
        (_EXPORT | {"memories": [_ROW, _ROW | {"slot": "other.x"}]}, "other.x"),
        (_EXPORT | {"topics": ["refund"]}, "topics"),
        (_EXPORT | {"topics": {"refund": "often"}}, "topics.refund"),
        (_EXPORT | {"topics": {"refund": 2**40}}, "topics.refund"),
    ],
)
async def test_what_is_no_export_is_refused_by_its_place_and_nothing_is_written(
    store: MemoryStore, wrong: Any, place: str
) -> None:
    owner = _owner()
    with pytest.raises(MalformedError, match=place):
        await import_memories(store, owner, wrong)
    assert await store.of(owner, closed=True) == []


async def test_what_postgres_does_not_take_is_left_out_of_an_import(store: MemoryStore) -> None:
    owner = _owner()
    exported = _EXPORT | {"memories": [_ROW | {"id": "a\0\ud83db"}], "topics": {"re\0fund": 1}}
    assert await import_memories(store, owner, exported) == 1
    again = await export_memories(store, owner)
    assert ([one["id"] for one in again["memories"]], again["topics"]) == (["ab"], {"refund": 1})


async def test_a_correction_rests_on_itself_and_keeps_the_old_wording_with_its_evidence(
    store: MemoryStore,
) -> None:
    owner = _owner()
    old = memory("套餐：专业版", kind="profile", slot="profile.plan", id="plan")
    await write_memories(store, owner, [old])
    new = await correct_memory(store, owner, "plan", "套餐：企业版")
    assert await store.of(owner) == [new]
    assert (new.id, new.text, [one.span for one in new.evidence]) == (
        "plan",
        "套餐：企业版",
        ["套餐：企业版"],
    )
    (kept,) = [one for one in await store.of(owner, closed=True) if one != new]
    assert (kept.text, kept.evidence, kept.status, kept.valid_to) == (
        old.text, old.evidence, "superseded", new.written,
    )  # fmt: skip
    with pytest.raises(StoreError, match="memory list"):
        await correct_memory(store, owner, "nothing", "x")
    assert (await correct_memory(store, owner, "plan", "套餐：\ud83d免费版\0")).text == "套餐：免费版"
    with pytest.raises(StoreError, match="no longer holds"):
        await correct_memory(store, owner, kept.id, "x")


async def test_a_correction_settles_a_contradiction(store: MemoryStore) -> None:
    owner, slots = (
        _owner(),
        {"monthly": "profile.billing", "yearly": "profile.billing", "bank": "profile.bank"},
    )
    said = [memory(i, kind="profile", slot=s, id=i, status="conflicting") for i, s in slots.items()]
    await write_memories(store, owner, said)
    await correct_memory(store, owner, "monthly", "每年付款")
    assert {one.id: one.status for one in await store.of(owner)} == {
        "monthly": "active",
        "bank": "conflicting",
    }


async def test_a_mark_or_a_correction_brings_nothing_back_that_is_forgotten_meanwhile(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = _owner()
    await write_memories(
        store, owner, [memory("套餐：专业版", kind="profile", slot="profile.plan", id="plan")]
    )
    epoch, known, embed = await store.epoch(owner), await store.of(owner), store.embed

    async def forget_first(texts: Iterable[str]) -> dict[str, Vector]:
        await forget(store, owner)
        return await embed(texts)

    monkeypatch.setattr(store, "embed", forget_first)
    with pytest.raises(ForgottenError):
        await correct_memory(store, owner, "plan", "套餐：企业版")
    await mark_conflicting(store, owner, known, epoch)
    assert await store.of(owner, closed=True) == []


async def test_another_embedder_is_refused_by_name(store: MemoryStore, pool: Pool, config: Settings) -> None:
    del pool, config
    await write_memories(store, _owner(), [memory("x")])
    other = HashEmbedder()
    other.name = "other"
    with pytest.raises(ConfigError, match="embedded by 'hash'"):
        await MemoryStore(store.pool, other, 16).setup()
