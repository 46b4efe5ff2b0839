"""The tables of one collection: writing a document's chunks, and the two legs of the search."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from psycopg.sql import SQL, Identifier

from store.chunking import Chunk, heading_path
from store.documents import Document
from store.embedding import Vector
from store.knowledge import CHUNK_COLUMNS, Collection, Knowledge, chunks_table, postings_table
from store.lexical import terms
from store.postgres import Connection

BM25_K1 = 1.2
BM25_B = 0.75

_COLUMNS = SQL(", ").join(map(Identifier, CHUNK_COLUMNS))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg of the search found; ``score`` is that leg's own (BM25, or cosine)."""

    id: str
    doc_id: str
    title: str
    section: str
    text: str
    indexed: str
    updated: date | None
    deprecated: bool
    score: float


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


async def write_document(
    connection: Connection,
    number: int,
    document: Document,
    chunks: Sequence[Chunk],
    vectors: Sequence[Vector],
    content_hash: str,
) -> None:
    """Put a document in the place of its former version, in one transaction: a reader sees the one or the other."""
    frequencies = [_term_frequencies(chunk) for chunk in chunks]
    async with connection.transaction():
        await _delete_chunks(connection, number, document.doc_id)
        await _upsert_document(connection, number, document, frequencies, content_hash)
        await _next_version(connection, number)
        numbers = await _next_numbers(connection, number, len(chunks))
        copy = SQL("COPY {} (langchain_id, indexed, embedding, {}) FROM STDIN").format(
            chunks_table(number), _COLUMNS
        )
        async with connection.cursor().copy(copy) as rows:
            for position, (chunk, vector, key) in enumerate(zip(chunks, vectors, numbers, strict=True)):
                row = (
                    chunk.id,
                    chunk.indexed,
                    str(vector),
                    document.doc_id,
                    position,
                    chunk.title,
                    chunk.section,
                )
                await rows.write_row((*row, chunk.text, document.updated, document.deprecated, key))
        copy = SQL("COPY {} (term, chunk, frequency, length) FROM STDIN").format(postings_table(number))
        async with connection.cursor().copy(copy) as rows:
            for key, counts in zip(numbers, frequencies, strict=True):
                for term, count in counts.items():
                    await rows.write_row((term, key, count, counts.total()))


async def remove_document(connection: Connection, number: int, doc_id: str) -> None:
    """Remove a document and its chunks, in one transaction."""
    async with connection.transaction():
        await _delete_chunks(connection, number, doc_id)
        await connection.execute(
            "DELETE FROM documents WHERE collection = %s AND doc_id = %s", (number, doc_id)
        )
        await _next_version(connection, number)


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
             SELECT term, chunk, frequency, length, count(*) OVER (PARTITION BY term) AS df
             FROM {postings} WHERE term = ANY(%(terms)s)),
           ranked AS (
             SELECT chunk, sum(ln(1 + (greatest(%(chunks)s, df) - df + 0.5) / (df + 0.5)) * frequency * (%(k1)s + 1)
                      / (frequency + %(k1)s * (1 - %(b)s + %(b)s * length / %(mean)s)))::float8 AS score
             FROM hits GROUP BY chunk ORDER BY score DESC, chunk LIMIT %(limit)s)
           SELECT langchain_id AS id, doc_id, title, section, text, indexed, updated, deprecated, score,
                  (SELECT jsonb_object_agg(term, df) FROM (SELECT DISTINCT term, df FROM hits) AS seen) AS frequencies
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
    """Rank chunks by the cosine between their vectors and the question's."""
    store = await knowledge.vectors(collection)
    found = await store.asimilarity_search_with_score_by_vector(vector, k=limit)
    return [
        Candidate(
            id=document.id or "",
            doc_id=document.metadata["doc_id"],
            title=document.metadata["title"],
            section=document.metadata["section"],
            text=document.metadata["text"],
            indexed=document.page_content,
            updated=document.metadata["updated"],
            deprecated=document.metadata["deprecated"],
            score=1.0 - distance,
        )
        for document, distance in found
    ]


def _term_frequencies(chunk: Chunk) -> Counter[str]:
    """Count a chunk's terms, those of its headings once more: what they name, the whole chunk is about."""
    return Counter(terms(chunk.indexed)) + Counter(terms(heading_path(chunk)))


async def _delete_chunks(connection: Connection, number: int, doc_id: str) -> None:
    cursor = await connection.execute(
        SQL("DELETE FROM {} WHERE doc_id = %s RETURNING number").format(chunks_table(number)), (doc_id,)
    )
    gone = [row["number"] for row in await cursor.fetchall()]
    await connection.execute(
        SQL("DELETE FROM {} WHERE chunk = ANY(%s)").format(postings_table(number)), (gone,)
    )
    await connection.execute("DELETE FROM refined WHERE collection = %s AND chunk = ANY(%s)", (number, gone))


async def _upsert_document(
    connection: Connection,
    number: int,
    document: Document,
    frequencies: Sequence[Counter[str]],
    content_hash: str,
) -> None:
    await connection.execute(
        """INSERT INTO documents (collection, doc_id, path, hash, title, body, chunks, terms)
           VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
           ON CONFLICT (collection, doc_id) DO UPDATE SET path = excluded.path, hash = excluded.hash,
             title = excluded.title, body = excluded.body, chunks = excluded.chunks, terms = excluded.terms""",
        (
            number,
            document.doc_id,
            document.source,
            content_hash,
            document.title,
            document.body,
            len(frequencies),
            sum(counts.total() for counts in frequencies),
        ),
    )


async def _next_numbers(connection: Connection, number: int, count: int) -> list[int]:
    cursor = await connection.execute(
        "SELECT nextval(pg_get_serial_sequence(%s, 'number')) AS key FROM generate_series(1, %s)",
        (f"chunks_{number}", count),
    )
    return [int(row["key"]) for row in await cursor.fetchall()]


async def _next_version(connection: Connection, number: int) -> None:
    await connection.execute(
        "UPDATE collections SET version = version + 1, updated_at = now() WHERE id = %s", (number,)
    )
