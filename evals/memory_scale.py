"""The suite `memory_scale`: search among many memories and users, complete beside exact search, and how long recall takes."""

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
from store.memories import MemoryStore
from store.memory import Evidence, Memory, namespace, to_value
from store.threads import Owner

ABOUT = "search and recall among 10,000 memories of many users (100,000 with --full), beside exact search"
BOUNDS = {
    "memories.recall@5_10k": (">=", 1.0),
    "memories.recall@5_100k": (">=", 1.0),
    "memories.recall@5_heavy": (">=", 1.0),
}
HOW = [
    "Vectors are random and of length one: the hardest case for an approximate index. Exact search is a product in memory.",
    "recall_p95_ms: the whole path at a user of 100 memories among the others, the embedding of the question included.",
]
_ASKED = 40
_TENANT = "evals-scale"
_TOPICS = ("导入流水", "开发票", "申请退款", "邀请成员", "升级套餐", "invoice title", "refund", "export")


async def measure(options: Options) -> Result:
    """Fill the store in three shapes, search as the product does, and remove everything again."""
    shapes = {"10k": [100] * 100, "heavy": [1_000, *[10] * 400]} | (
        {"100k": [1_000] * 100} if options.full else {}
    )
    metrics: dict[str, Metric] = {}
    async with open_knowledge_only(options.settings) as opened:
        for name, sizes in options.track(list(shapes.items())):
            async with _filled(opened.memories, sizes) as users:
                metrics |= {
                    f"{key}_{name}": one for key, one in (await _measured(opened.memories, users)).items()
                }
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


def _memory(place: int) -> Memory:
    text = f"{place % 12 + 1}月{place % 28 + 1}日{_TOPICS[place % len(_TOPICS)]}时遇到问题 {place}"
    return Memory(
        id=f"{place:06d}", kind="event", slot=f"event.{place}", text=text, value="open",
        evidence=(Evidence("t", "m", text),), event_time="", written="2026-03-01T00:00:00+00:00", source="user",
    )  # fmt: skip


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
