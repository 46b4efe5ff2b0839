"""Gaps: questions that found no answer, kept for those who write the help centre."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from store.embedding import Embedder
from store.postgres import Pool

SAME = 0.4
"""Mean cosine from which a question belongs to a group: of the development half of `evals/data/gaps.jsonl`, chosen in
the middle of the range in which no two subjects meet (``python -m evals run handover``)."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A question without an answer, the collection that was searched, and how often it was asked."""

    question: str
    collection: str
    count: int
    last: datetime


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Questions to one collection that mean the same; the first is the one that was asked most often."""

    gaps: tuple[Gap, ...]

    @property
    def count(self) -> int:
        """How often any of them was asked."""
        return sum(gap.count for gap in self.gaps)


async def record_gap(
    pool: Pool, *, message_id: str, thread: str, tenant: str, collection: str, question: str
) -> None:
    """Keep a question that found no answer; the same message is kept once.

    Args:
        pool: connections to the database.
        message_id: id of the user message, so that a step that runs again records nothing twice.
        thread: id of the thread, with which the gap goes; empty where nothing is kept.
        tenant: whose help centre it is.
        collection: the collection that was searched.
        question: the standalone question.
    """
    async with pool.connection() as connection:
        await connection.execute(
            """INSERT INTO gaps (message_id, thread_id, tenant, collection, question) VALUES (%s, %s, %s, %s, %s)
               ON CONFLICT DO NOTHING""",
            (message_id, thread or None, tenant, collection, question),
        )


async def list_gaps(pool: Pool, tenant: str, *, collection: str = "") -> list[Gap]:
    """Return the questions of a tenant that found no answer, the most frequent first.

    Args:
        pool: the database.
        tenant: whose.
        collection: only those that were asked of it; empty: of any.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT question, collection, count(*) AS count, max(created_at) AS last FROM gaps"
            " WHERE tenant = %s AND (%s = '' OR collection = %s) GROUP BY question, collection"
            " ORDER BY count(*) DESC, max(created_at) DESC, question, collection",
            (tenant, collection, collection),
        )
        return [Gap(**row) for row in await cursor.fetchall()]


async def group_gaps(gaps: Sequence[Gap], embedder: Embedder) -> list[GapGroup]:
    """Group questions to one collection by meaning, the group that was asked most often first.

    Args:
        gaps: most frequent first; each joins the group that is nearest on average, or begins one.
        embedder: compares meanings.
    """
    found: list[GapGroup] = []
    for collection in dict.fromkeys(gap.collection for gap in gaps):
        asked = [gap for gap in gaps if gap.collection == collection]
        vectors = np.asarray(await embedder.embed_documents([gap.question for gap in asked]))
        found += [GapGroup(tuple(asked[place] for place in group)) for group in nearest_groups(vectors)]
    return sorted(found, key=lambda group: -group.count)


def nearest_groups(vectors: npt.NDArray[np.float64]) -> list[list[int]]:
    """Group the rows of a matrix, one pass: the mean cosine to a group is the dot product with its mean.

    Args:
        vectors: one row a text.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    groups: list[list[int]] = []
    sums = np.empty((0, unit.shape[1]))
    for place, vector in enumerate(unit):
        sizes = np.array([len(group) for group in groups])
        near = sums @ vector / sizes if groups else np.empty(0)
        if groups and near.max() >= SAME:
            best = int(near.argmax())
            groups[best].append(place)
            sums[best] += vector
        else:
            groups.append([place])
            sums = np.vstack([sums, vector])
    return groups
