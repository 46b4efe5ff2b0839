"""The tables of one collection: writing a document's chunks, and the index of its vectors."""

from collections import Counter
from collections.abc import Sequence

from psycopg.sql import SQL, Identifier

from store.chunking import Chunk, heading_path
from store.collection_tables import CHUNK_COLUMNS, chunks_table, postings_table
from store.documents import Document
from store.embedding import Vector
from store.lexical import terms
from store.postgres import Connection

INDEXED = 2_000
"""Chunks from which a collection's vectors are indexed: up to there, comparing all of them takes 10 ms at most."""

_BUILDING_MEMORY = "256MB"
"""An index that outgrows it while it is built takes many times as long; this is enough for 100,000 chunks."""

_COLUMNS = SQL(", ").join(map(Identifier, CHUNK_COLUMNS))


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


async def index_vectors(connection: Connection, number: int) -> None:
    """Index the vectors of a large collection that has no such index yet (HNSW, Malkov and Yashunin 2018).

    A small one is faster, and exact, without. Call it when the documents are in: it is built faster at once than grown.
    """
    cursor = await connection.execute(SQL("SELECT count(*) AS chunks FROM {}").format(chunks_table(number)))
    row = await cursor.fetchone()
    if row and row["chunks"] >= INDEXED:
        async with connection.transaction():
            await connection.execute(SQL("SET LOCAL maintenance_work_mem = {}").format(_BUILDING_MEMORY))
            await connection.execute(
                SQL("CREATE INDEX IF NOT EXISTS {} ON {} USING hnsw (embedding vector_cosine_ops)").format(
                    Identifier(f"vectors_{number}"), chunks_table(number)
                )
            )


async def remove_document(connection: Connection, number: int, doc_id: str) -> None:
    """Remove a document and its chunks, in one transaction."""
    async with connection.transaction():
        await _delete_chunks(connection, number, doc_id)
        await connection.execute(
            "DELETE FROM documents WHERE collection = %s AND doc_id = %s", (number, doc_id)
        )
        await _next_version(connection, number)


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
