"""The suite `memory_scale`: search among many memories and users, complete beside exact search, and how long recall takes."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any
from uuid import uuid4

import numpy as np
from psycopg.types.json import Jsonb

from evals.intervals import Metric, average, metric, percentile
from evals.results import machine, result
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.recall import relevant
from store.embedding import Vector
from store.erasure import forget
from store.memories import MemoryStore
from store.memory import Evidence, Memory, namespace, to_value
from store.threads import Owner
from store.transfer import add_topics, topic_counts, write_memories

ABOUT = "search and recall among 10,000 memories of many users (100,000 with --full), beside exact search"
BOUNDS = {
    "memories.recall@5_10k": (">=", 1.0),
    "memories.recall@5_100k": (">=", 1.0),
    "memories.recall@5_heavy": (">=", 1.0),
    "memories.recall@5_100k_small": (">=", 1.0),
    "memories.recall_p95_ms_100k_small": ("<=", 50.0),
    "memories.neighbour_p95_ms": ("<=", 10.0),
    "memories.counted": (">=", 1.0),
}
HOW = [
    "Vectors are random and of length one: the hardest case for an approximate index. Exact search is a product in memory.",
    "recall_p95_ms: the whole path at one user among the others, the embedding of the question included.",
    "Shapes: 10k is 100 users of 100 memories; 100k 100 of 1,000; 100k_small 1,000 of 100; heavy one of 1,000 among 400 of 10.",
    "neighbour_p95_ms: another user's read while an embedding takes 300 ms. counted: share of 100 counts at once that are kept.",
]
_ASKED = 40
_SLOW_SECONDS = 0.3
_EMBEDDINGS = 5
_COUNTS = 100
_TENANT = "evals-scale"
_TOPICS = ("导入流水", "开发票", "申请退款", "邀请成员", "升级套餐", "invoice title", "refund", "export")


async def measure(options: Options) -> Result:
    """Fill the store in three shapes, search as the product does, and remove everything again."""
    shapes = {"10k": [100] * 100, "heavy": [1_000, *[10] * 400]} | (
        {"100k": [1_000] * 100, "100k_small": [100] * 1_000} if options.full else {}
    )
    metrics: dict[str, Metric] = {}
    async with open_knowledge_only(options.settings) as opened:
        for name, sizes in options.track(list(shapes.items())):
            async with _filled(opened.memories, sizes) as users:
                metrics |= {
                    f"{key}_{name}": one for key, one in (await _measured(opened.memories, users)).items()
                }
        metrics |= await neighbours(opened.memories)
    return result(
        "memory_scale",
        n=sum(sum(sizes) for sizes in shapes.values()),
        dataset="made here",
        metrics=metrics,
        bounds={name: bound for name, bound in BOUNDS.items() if name in metrics},
        baselines={"exact search": {name: 1.0 for name in metrics if "recall@5" in name}},
        rows=[{"id": name, "users": len(sizes), "memories": sum(sizes)} for name, sizes in shapes.items()],
        embedding=opened.memories.embedder.name,
        how=HOW,
        machine=machine(),
    )


async def _measured(store: MemoryStore, users: Mapping[Owner, Any]) -> dict[str, Metric]:
    chance, hits, searched, recalled = np.random.default_rng(7), [], [], []
    await relevant(store, next(iter(users)), "热身")  # the embedder is loaded
    for owner in [*users][:: max(1, len(users) // _ASKED)][:_ASKED]:
        query = _unit(chance.normal(size=(1, store.dimensions)))[0]
        began = perf_counter()
        found = await store.nearest(owner, "?", query.tolist(), limit=5)
        searched.append((perf_counter() - began) * 1_000)
        exact = np.argsort(-(users[owner] @ query), kind="stable")[:5]
        hits.append(
            len({one.id for one, _ in found} & {f"{place:06d}" for place in exact})
            / min(5, len(users[owner]))
        )
        began = perf_counter()
        await relevant(store, owner, "上次导入流水的问题怎么解决的")
        recalled.append((perf_counter() - began) * 1_000)
    return {
        "memories.recall@5": average(hits),
        "memories.p95_ms": metric(percentile(searched, 0.95), len(searched)),
        "memories.recall_p95_ms": metric(percentile(recalled, 0.95), len(recalled)),
    }


class _SlowEmbedder:
    """An embedder that takes its time."""

    name = "slow"

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions

    async def dimensions(self) -> int:
        return self._dimensions

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.sleep(_SLOW_SECONDS)
        return [[1.0] + [0.0] * (self._dimensions - 1) for _ in texts]

    async def embed_query(self, text: str) -> Vector:
        return (await self.embed_documents([text]))[0]


async def neighbours(store: MemoryStore) -> dict[str, Metric]:
    """Return how long a user's read takes while others are embedded, and whether counts at once are all kept."""
    writer = MemoryStore(store.pool, _SlowEmbedder(store.dimensions), store.dimensions)
    one, other = (Owner(_TENANT, uuid4().hex) for _ in range(2))
    took: list[float] = []
    try:
        for _ in range(_EMBEDDINGS):
            writing = asyncio.create_task(write_memories(writer, one, [_memory(0)]))
            while not writing.done():
                began = perf_counter()
                await store.of(other)
                took.append((perf_counter() - began) * 1_000)
                await asyncio.sleep(0.01)
            await writing
        await asyncio.gather(*(_count(store, other) for _ in range(_COUNTS)))
        kept = (await topic_counts(store, other)).get("refund", 0)
    finally:
        for owner in (one, other):
            await forget(store, owner)
    return {
        "memories.neighbour_p95_ms": metric(percentile(took, 0.95), len(took)),
        "memories.counted": metric(kept / _COUNTS, _COUNTS, rate=True),
    }


async def _count(store: MemoryStore, owner: Owner) -> None:
    async with store.pool.connection() as connection:
        await add_topics(connection, owner, ["refund"])


@asynccontextmanager
async def _filled(store: MemoryStore, sizes: Sequence[int]) -> AsyncIterator[dict[Owner, Any]]:
    chance = np.random.default_rng(3)
    users = {
        Owner(_TENANT, uuid4().hex): _unit(chance.normal(size=(size, store.dimensions))) for size in sizes
    }
    try:
        for owner, vectors in users.items():
            await _fill(store, owner, vectors)
        async with store.pool.connection() as connection:
            await connection.execute("ANALYZE store")
            await connection.execute("ANALYZE store_vectors")
        yield users
    finally:
        prefix = ".".join(namespace(Owner(_TENANT, "x"))[:2])
        async with store.pool.connection() as connection:
            await connection.execute("DELETE FROM store WHERE starts_with(prefix, %s)", (f"{prefix}.",))


async def _fill(store: MemoryStore, owner: Owner, vectors: Any) -> None:
    prefix = ".".join(namespace(owner, "event"))
    async with store.pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
        async with cursor.copy("COPY store (prefix, key, value) FROM STDIN") as copy:
            for place in range(len(vectors)):
                await copy.write_row((prefix, f"{place:06d}", Jsonb(to_value(_memory(place)))))
        async with cursor.copy("COPY store_vectors (prefix, key, field_name, embedding) FROM STDIN") as copy:
            for place, vector in enumerate(vectors):
                await copy.write_row((prefix, f"{place:06d}", "text", str(vector.round(6).tolist())))
        if store.refiner:
            short = vectors[:, : await store.refiner.dimensions()]
            async with cursor.copy(
                "COPY memory_refined (prefix, key, embedder, embedding) FROM STDIN"
            ) as copy:
                for place, vector in enumerate(short):
                    row = (prefix, f"{place:06d}", store.refiner.name, str(vector.round(6).tolist()))
                    await copy.write_row(row)


def _memory(place: int) -> Memory:
    text = f"{place % 12 + 1}月{place % 28 + 1}日{_TOPICS[place % len(_TOPICS)]}时遇到问题 {place}"
    return Memory(
        id=f"{place:06d}", kind="event", slot=f"event.{place}", text=text, value="open",
        evidence=(Evidence("t", "m", text),), event_time="", written="2026-03-01T00:00:00+00:00", source="user",
    )  # fmt: skip


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
