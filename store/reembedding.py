"""Embedding all memories anew, for another model."""

from psycopg.sql import SQL

from store.embedding import Embedder
from store.memory import ROOT, embedded_text
from store.postgres import Pool, setup_lock

_BATCH = 200


async def reembed(pool: Pool, embedder: Embedder) -> int:
    """Embed all memories anew, for another embedder; whoever reads memories meanwhile waits until the end.

    Args:
        pool: the database, its tables set up.
        embedder: the embedder from now on.

    Returns:
        How many memories.

    Raises:
        RetrievalError: the embedder fails; everything is as it was.
    """
    dimensions = await embedder.dimensions()
    async with setup_lock(pool) as connection, connection.transaction():
        await connection.execute("TRUNCATE store_vectors")
        await connection.execute(
            SQL("ALTER TABLE store_vectors ALTER COLUMN embedding TYPE vector({})").format(dimensions)
        )
        await connection.execute("DELETE FROM memory_embedder")
        await connection.execute(
            "INSERT INTO memory_embedder (name, dimensions) VALUES (%s, %s)", (embedder.name, dimensions)
        )
        rows = await (
            await connection.execute(
                "SELECT prefix, key, value->>'text' AS text FROM store WHERE starts_with(prefix, %s) ORDER BY prefix, key",
                (f"{ROOT}.",),
            )
        ).fetchall()
        for begin in range(0, len(rows), _BATCH):
            batch = rows[begin : begin + _BATCH]
            embedded = await embedder.embed_documents([embedded_text(row["text"]) for row in batch])
            async with connection.cursor() as cursor:
                await cursor.executemany(
                    "INSERT INTO store_vectors (prefix, key, field_name, embedding) VALUES (%s, %s, 'text', %s::vector)",
                    [
                        (row["prefix"], row["key"], str(vector))
                        for row, vector in zip(batch, embedded, strict=True)
                    ],
                )
    return len(rows)
