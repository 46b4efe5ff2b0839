"""Vectors of passages by the slower model: made after the ingestion, in the background, and looked up by the search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from psycopg.sql import SQL

from store.collection_tables import chunks_table
from store.embedding import Embedder, Progress, Vector
from store.knowledge import Collection, Knowledge, find_collection, list_collections
from store.lexical import fold

_BATCH = 8


async def refine(knowledge: Knowledge, name: str = "", progress: Progress | None = None) -> int:
    """Embed by the slower model what it has not embedded yet, and return how many chunks that were.

    Readers see each chunk's vector as soon as it is there; what was done stays when this breaks off, and two that
    run at once do some chunks twice and nothing wrong.

    Args:
        knowledge: the index.
        name: the collection; empty: every one.
        progress: told how far it is.

    Raises:
        RetrievalError: there is no collection of that name.
    """
    refiner = knowledge.second_stage and knowledge.second_stage.refiner
    collections = [await find_collection(knowledge, name)] if name else await list_collections(knowledge)
    if not refiner:
        return 0
    waiting = [(c, number) for c in collections for number in await _waiting(knowledge, c, refiner)]
    if progress and waiting:
        progress(0, len(waiting))
    for done in range(0, len(waiting), _BATCH):
        for collection, number in waiting[done : done + _BATCH]:
            await _refine_chunk(knowledge, collection, number, refiner)
        if progress:
            progress(min(done + _BATCH, len(waiting)), len(waiting))
    return len(waiting)


async def refined_scores(
    knowledge: Knowledge, collection: Collection, ids: Sequence[str], vector: Vector
) -> dict[str, float]:
    """Return the mean of the cosines of question and text, and question and headings, by id, as far as it is known.

    Args:
        knowledge: the index.
        collection: what is searched.
        ids: the chunks.
        vector: the question's, by the slower model.
    """
    refiner = knowledge.second_stage and knowledge.second_stage.refiner
    if not refiner or not vector:
        return {}
    statement = SQL(
        """SELECT langchain_id AS id, -(r.embedding <#> %s::vector) AS score
           FROM {chunks} JOIN refined r ON r.collection = %s AND r.chunk = number AND r.model = %s
           WHERE langchain_id = ANY(%s)"""
    ).format(chunks=chunks_table(collection.id))
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(statement, (str(vector), collection.id, refiner.name, list(ids)))
        return {row["id"]: row["score"] for row in await cursor.fetchall()}


async def _waiting(knowledge: Knowledge, collection: Collection, refiner: Embedder) -> list[int]:
    statement = SQL(
        """SELECT number FROM {chunks} WHERE NOT EXISTS (
             SELECT FROM refined WHERE collection = %s AND chunk = number AND model = %s) ORDER BY number"""
    ).format(chunks=chunks_table(collection.id))
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(statement, (collection.id, refiner.name))
        return [int(row["number"]) for row in await cursor.fetchall()]


async def _refine_chunk(knowledge: Knowledge, collection: Collection, number: int, refiner: Embedder) -> None:
    chunks = chunks_table(collection.id)
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(
            SQL("SELECT indexed FROM {} WHERE number = %s").format(chunks), (number,)
        )
        row = await cursor.fetchone()
    if row is None:
        return  # replaced since
    vector = await _mean(refiner, row["indexed"])
    async with knowledge.pool.connection() as connection:
        # Only while the chunk is there: nobody would remove the vector of one that has gone.
        await connection.execute(
            SQL(
                """INSERT INTO refined SELECT %s, number, %s, %s::vector FROM {} WHERE number = %s
                   FOR SHARE ON CONFLICT DO NOTHING"""
            ).format(chunks),
            (collection.id, refiner.name, str(vector), number),
        )


async def _mean(refiner: Embedder, indexed: str) -> Vector:
    """Return the mean of the vectors of a text and of the headings, its first line, which a long text drowns."""
    both: Any = np.asarray(await refiner.embed_documents([fold(indexed), fold(indexed.partition("\n")[0])]))
    mean: Vector = both.mean(axis=0).tolist()
    return mean
