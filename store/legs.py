"""The two legs of the search, in SQL: BM25 over a collection's postings, and the cosine of its vectors."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from psycopg.sql import SQL

from store.chunking import Chunk
from store.collection_tables import chunks_table, postings_table
from store.embedding import Vector
from store.knowledge import Collection, Knowledge

BM25_K1 = 1.2
BM25_B = 0.75

_LOOKED_AT = 200
"""Chunks that the index of vectors keeps in view (``ef_search``) while it looks for the nearest."""


@dataclass(frozen=True, slots=True)
class Candidate(Chunk):
    """A chunk that a leg of the search found; ``score`` is that leg's own (BM25, or cosine)."""

    updated: date | None
    deprecated: bool
    score: float


Ranking = list[tuple[Candidate, float]]
"""Candidates with their scores, best first."""


@dataclass(frozen=True, slots=True)
class LexicalAnswer:
    """What the lexical leg found, and in how many chunks each term of the question occurs."""

    candidates: list[Candidate]
    document_frequency: dict[str, int]

    def weights(self, query_terms: Iterable[str], chunks: int) -> dict[str, float]:
        """Return the weight of each term of the question, ``ln(1 + (N − df + 0.5) / (df + 0.5))`` as in Lucene.

        Args:
            query_terms: the question's terms, also those that no chunk holds.
            chunks: how many chunks the collection has.
        """
        frequencies = {term: self.document_frequency.get(term, 0) for term in query_terms}
        return {
            term: math.log1p((max(chunks, df) - df + 0.5) / (df + 0.5)) for term, df in frequencies.items()
        }

    def shares(self, query_terms: Iterable[str], chunks: int) -> dict[str, float]:
        """Return each candidate's BM25 score, by id, as a share of what a chunk full of the terms would reach."""
        ceiling = (BM25_K1 + 1) * sum(self.weights(query_terms, chunks).values())
        return {candidate.id: candidate.score / ceiling for candidate in self.candidates}


async def lexical_leg(
    knowledge: Knowledge, collection: Collection, query_terms: Sequence[str], limit: int
) -> LexicalAnswer:
    """Rank chunks by BM25 (Robertson and Zaragoza 2009) with the statistics of the collection as it stands.

    For the weight of a term see `LexicalAnswer.weights`.

    Args:
        knowledge: the index.
        collection: what is searched.
        query_terms: the question's terms; one that occurs twice counts once.
        limit: most candidates.
    """
    parameters = {
        "terms": list(dict.fromkeys(query_terms)),
        "chunks": collection.chunks,
        "mean": max(collection.terms, 1) / max(collection.chunks, 1),
        "k1": BM25_K1,
        "b": BM25_B,
        "limit": limit,
    }
    statement = SQL(
        """WITH hits AS MATERIALIZED (
             SELECT term, chunk, frequency, length FROM {postings} WHERE term = ANY(%(terms)s)),
           asked AS MATERIALIZED (
             SELECT term, count(*) AS df,
                    ln(1 + (greatest(%(chunks)s, count(*)) - count(*) + 0.5)::float8 / (count(*) + 0.5)) AS weight
             FROM hits GROUP BY term),
           ranked AS (
             SELECT chunk, sum(weight * frequency * (%(k1)s + 1)
                      / (frequency + %(k1)s * (1 - %(b)s + %(b)s * length / %(mean)s))) AS score
             FROM hits JOIN asked USING (term) GROUP BY chunk ORDER BY score DESC, chunk LIMIT %(limit)s)
           SELECT langchain_id AS id, doc_id, title, section, text, indexed, updated, deprecated, score,
                  (SELECT jsonb_object_agg(term, df) FROM asked) AS frequencies
           FROM ranked JOIN {chunks} ON number = chunk ORDER BY score DESC, chunk"""
    ).format(postings=postings_table(collection.id), chunks=chunks_table(collection.id))
    async with knowledge.pool.connection() as connection:
        rows = await (await connection.execute(statement, parameters)).fetchall()
    frequencies = rows[0]["frequencies"] if rows else {}
    candidates = [
        Candidate(**{key: value for key, value in row.items() if key != "frequencies"}) for row in rows
    ]
    return LexicalAnswer(candidates, frequencies)


async def dense_leg(
    knowledge: Knowledge, collection: Collection, vector: Vector, limit: int
) -> list[Candidate]:
    """Rank chunks by the cosine between their vectors and the question's.

    A large collection is searched by its index (see `store.index.index_vectors`), which may miss one of the last.

    Args:
        knowledge: the index.
        collection: what is searched.
        vector: the question's.
        limit: most candidates, at most `_LOOKED_AT`.
    """
    statement = SQL(
        """SELECT langchain_id AS id, doc_id, title, section, text, indexed, updated, deprecated,
                  1 - (embedding <=> %(vector)s::vector) AS score
           FROM {} ORDER BY embedding <=> %(vector)s::vector LIMIT %(limit)s"""
    ).format(chunks_table(collection.id))
    async with knowledge.pool.connection() as connection, connection.transaction():
        await connection.execute(SQL("SET LOCAL hnsw.ef_search = {}").format(_LOOKED_AT))
        cursor = await connection.execute(statement, {"vector": str(vector), "limit": limit})
        return [Candidate(**row) for row in await cursor.fetchall()]
