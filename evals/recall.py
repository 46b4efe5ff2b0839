"""Recall on labelled questions: the right memory comes back, and nothing does when nothing is meant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from evals import jsonl
from evals.intervals import Metric, average, metric, percentile, share
from evals.results import result, versioned
from evals.suite import Options, Result
from nodes.memory.recall import MOST, nearness_to_everyday, rank
from store.e5 import open_refiner
from store.embedding import Embedder, open_embedder
from store.memory import embedded_text

DATA = Path(__file__).parent / "data" / "memory" / "recall.jsonl"
ABOUT = "which memories come back for a question, and that none does off topic, beside cosine alone"
BOUNDS = {"hit@5": (">=", 0.95), "injected_off_topic": ("<=", 0.05)}
FORM = {"id": str, "memories": [str], "query": str, "relevant": [int]}

Row = Mapping[str, Any]


async def measure(options: Options) -> Result:
    """Recall for every question among the memories of its user; the test half, or a user's own data."""
    embedder, refiner, data = open_embedder(options.settings), open_refiner(), options.data or DATA
    rows = list(options.some(load(data, "test")))
    asking = _Asking(embedder, refiner, await embedded(rows, embedder), {})
    if refiner:
        asking.refined = await embedded(rows, refiner)
    got, nearest, took = [], [], []
    for row in options.track(rows):
        began = perf_counter()
        places, cosines = await asking.recalled(row)
        took.append((perf_counter() - began) * 1_000)
        got.append(places)
        nearest.append([int(place) for place in np.argsort(-np.array(cosines), kind="stable")[:MOST]])
    times = {"recall_p95_ms": metric(percentile(took, 0.95), len(took))}
    return result(
        "recall",
        n=len(rows),
        dataset=versioned(data),
        model="none: recall is code",
        embedding=embedder.name,
        metrics=figures(rows, got) | times,
        bounds=BOUNDS,
        baselines={"nearest five": {name: one["value"] for name, one in figures(rows, nearest).items()}},
        rows=[
            {"id": row["id"], "query": row["query"], "got": [row["memories"][place] for place in places]}
            | ({} if _right(row, places) else {"failed": True})
            for row, places in zip(rows, got, strict=True)
        ],
        how=["The margin is set on the half `dev` of the data; these are figures of the other half."],
    )


@dataclass(slots=True)
class _Asking:
    """The embedders, and what they make of every memory, by its text."""

    embedder: Embedder
    refiner: Embedder | None
    known: dict[str, Any]
    refined: dict[str, Any]

    async def recalled(self, row: Row) -> tuple[list[int], list[float]]:
        """Return the places that are recalled for a question, best first, and the cosine of every memory."""
        query, memories = row["query"], row["memories"]
        vector = await self.embedder.embed_query(query)
        cosines = [float(self.known[text] @ np.asarray(vector)) for text in memories]
        everyday = await nearness_to_everyday(self.embedder, vector)
        if not self.refiner:
            return [place for place, _ in rank(query, memories, cosines, everyday)], cosines
        second = await self.refiner.embed_query(query)
        ranked = rank(
            query,
            memories,
            cosines,
            everyday,
            refined=[float(self.refined[text] @ np.asarray(second)) for text in memories],
            everyday_refined=await nearness_to_everyday(self.refiner, second),
        )
        return [place for place, _ in ranked], cosines


def load(data: Path, split: str = "") -> list[dict[str, Any]]:
    """Read labelled questions.

    Raises:
        DataError: a line has another form, or names a memory that is not there.
    """
    rows = jsonl.rows(data, split, FORM)
    for row in rows:
        if strange := {*row["relevant"]} - {*range(len(row["memories"]))}:
            raise jsonl.DataError(
                f"{data}, {row['id']}: 'relevant' names {min(strange)}, no place in 'memories'; the first is 0."
            )
    return rows


def figures(rows: Sequence[Row], got: Sequence[Sequence[int]]) -> dict[str, Metric]:
    """Return `hit@5`, `recall@5` and the share of off-topic messages for which something is recalled.

    Args:
        rows: each with `relevant`, the places of the memories that are meant; none: nothing is to be recalled.
        got: the places that came back, at most five a row.
    """
    found: dict[str, Metric] = {}
    meant = [
        ({*row["relevant"]}, {*places}) for row, places in zip(rows, got, strict=True) if row["relevant"]
    ]
    off = [bool(places) for row, places in zip(rows, got, strict=True) if not row["relevant"]]
    if meant:
        found["hit@5"] = share([bool(right & places) for right, places in meant])
        found["recall@5"] = average([len(right & places) / len(right) for right, places in meant])
    if off:
        found["injected_off_topic"] = share(off)
    return found


def _right(row: Row, places: Sequence[int]) -> bool:
    return bool({*row["relevant"]} & {*places}) if row["relevant"] else not places


async def embedded(rows: Sequence[Row], embedder: Embedder) -> dict[str, Any]:
    """Return the vector of each memory of the rows by its text."""
    texts = list(dict.fromkeys(text for row in rows for text in row["memories"]))
    vectors = await embedder.embed_documents([embedded_text(text) for text in texts])
    return dict(zip(texts, np.asarray(vectors), strict=True))
