"""Fit when anything is recalled at all (`nodes.memory.recall`): ``python -m evals.recall_fit``.

A logistic regression on the half ``dev`` of the labelled questions; its weights, a cosine's being 1, are rounded into the
constants by hand. It also lays the slower model's vectors of the everyday topics beside them, which take it seconds.
"""

import asyncio
from collections.abc import Sequence

import numpy as np

from evals import jsonl
from evals.logistic import Floats, logistic
from evals.recall import DATA, Row, embedded
from nodes.memory.recall import concern, everyday_file, everyday_topics, refined_margin
from store.e5 import E5Embedder
from store.embedding import BundledEmbedder, Embedder, Vector

RIDGE = 1.0
NAMES = ("nearest", "by refiner", "everyday", "everyday by refiner", "of oneself", "of business")


async def cosines(rows: Sequence[Row], embedder: Embedder, topics: Floats) -> tuple[list[float], list[float]]:
    """Return of each question the cosine of the nearest memory and of the nearest everyday topic."""
    known = await embedded(rows, embedder)
    asked = [np.asarray(await embedder.embed_query(row["query"])) for row in rows]
    near = [max(float(known[t] @ one) for t in row["memories"]) for row, one in zip(rows, asked, strict=True)]
    return near, [float((topics @ one).max()) for one in asked]


async def vectors(embedder: Embedder) -> list[Vector]:
    """Return the topics as questions: what is compared with them is one."""
    return [await embedder.embed_query(topic) for topic in everyday_topics()]


async def main() -> None:
    """Store the vectors, print the weights, and what margins give on the questions that they are fitted to."""
    first, second, rows = BundledEmbedder(), E5Embedder(), jsonl.rows(DATA, "dev")
    slow = np.asarray(await vectors(second))
    np.save(everyday_file(second.name), slow.astype(np.float16))
    near, everyday = await cosines(rows, first, np.asarray(await first.embed_documents(everyday_topics())))
    by_refiner, everyday_by_refiner = await cosines(rows, second, slow)
    x = np.array([concern(row["query"]) for row in rows])
    x = np.column_stack([near, by_refiner, everyday, everyday_by_refiner, x])
    y, spread = np.array([bool(row["relevant"]) for row in rows]), x.std(axis=0)
    weights = logistic((x - x.mean(axis=0)) / spread, y.astype(float), RIDGE)[1:] / spread
    for name, weight in zip(NAMES, weights / weights[0], strict=True):
        print(f"{name:20} {weight:.2f}")  # noqa: T201
    margins = np.array([refined_margin(*one) for one in x])
    for least in np.arange(-0.1, 0.11, 0.02):
        kept = margins >= least
        print(f"{least:+.2f}: kept {kept[y].mean():.3f} on topic, {kept[~y].mean():.3f} off topic")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
