"""Collections of documents in Postgres: what there is, how one begins, is replaced and goes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from langchain_postgres import PGEngine
from psycopg import AsyncConnection
from sqlalchemy.ext.asyncio import create_async_engine

from store.collection_tables import create_tables, drop_tables
from store.embedding import Embedder
from store.errors import RetrievalError
from store.postgres import Connection, Pool
from store.reranking import Reranker
from store.second_stage import SecondStage

_ENGINE_CONNECTIONS = 5


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as it stands.

    ``version`` grows with every change of its documents; ``terms`` is the sum of the lengths of its chunks in
    terms, which BM25 needs beside their number.
    """

    id: int
    name: str
    embedder: str
    dimensions: int
    source: str
    version: int
    updated_at: datetime
    documents: int
    chunks: int
    terms: int


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The knowledge index of one process: its connections and models. See `open_knowledge`."""

    pool: Pool
    engine: PGEngine
    embedder: Embedder
    reranker: Reranker | None
    second_stage: SecondStage | None


@asynccontextmanager
async def open_knowledge(
    pool: Pool,
    embedder: Embedder,
    reranker: Reranker | None = None,
    second_stage: SecondStage | None = None,
) -> AsyncIterator[Knowledge]:
    """Open the knowledge index on a migrated database.

    Args:
        pool: connections to the database.
        embedder: embeds documents and questions.
        reranker: orders what the search mode ``rerank`` finds; without one the second stage does.
        second_stage: models that look at the first candidates once more; without any ``rerank`` is ``hybrid``.
    """

    async def connect() -> AsyncConnection[Any]:
        return await AsyncConnection.connect(cast("str", pool.conninfo))  # `open_pool` gives a string

    engine = create_async_engine(
        "postgresql+psycopg://", async_creator=connect, pool_size=_ENGINE_CONNECTIONS, pool_pre_ping=True
    )
    try:
        yield Knowledge(pool, PGEngine.from_engine(engine), embedder, reranker, second_stage)
    finally:
        await engine.dispose()


async def list_collections(knowledge: Knowledge) -> list[Collection]:
    """Return the collections that can be searched, by name."""
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(
            """SELECT c.id, name, embedder, dimensions, source, version, updated_at, count(d.doc_id)::int AS documents,
                      coalesce(sum(d.chunks), 0)::int AS chunks, coalesce(sum(d.terms), 0)::int AS terms
               FROM collections c LEFT JOIN documents d ON d.collection = c.id
               WHERE live GROUP BY c.id ORDER BY name"""
        )
        return [Collection(**row) for row in await cursor.fetchall()]


async def find_collection(knowledge: Knowledge, name: str) -> Collection:
    """Return a collection by name.

    Raises:
        RetrievalError: there is none of that name; the message lists those that there are.
    """
    collections = await list_collections(knowledge)
    for collection in collections:
        if collection.name == name:
            return collection
    known = ", ".join(repr(collection.name) for collection in collections) or "none yet"
    raise RetrievalError(
        f"There is no collection {name!r}; known: {known}. Name one with --collection or SUPPORTPILOT_COLLECTION, or make it: "
        f"supportpilot ingest DIR --collection {name}"
    )


async def delete_collection(knowledge: Knowledge, name: str) -> None:
    """Delete a collection with all that it holds.

    Raises:
        RetrievalError: there is none of that name; the message lists those that there are.
    """
    collection = await find_collection(knowledge, name)
    async with knowledge.pool.connection() as connection, connection.transaction():
        await _drop(connection, collection.id)


async def begin(knowledge: Knowledge, connection: Connection, name: str, source: str) -> int:
    """Create an empty collection that readers do not see yet, and return its id."""
    dimensions = await knowledge.embedder.dimensions()
    cursor = await connection.execute(
        """INSERT INTO collections (name, live, embedder, dimensions, source)
           VALUES (%s, false, %s, %s, %s) RETURNING id""",
        (name, knowledge.embedder.name, dimensions, source),
    )
    row = await cursor.fetchone()
    number = int(row["id"]) if row else 0
    await create_tables(knowledge.engine, connection, number, dimensions)
    return number


async def publish(connection: Connection, number: int, name: str) -> None:
    """Let readers see the collection of that id under the name, in the place of the one before it."""
    async with connection.transaction():
        cursor = await connection.execute("SELECT id FROM collections WHERE name = %s AND live", (name,))
        for row in await cursor.fetchall():
            await _drop(connection, int(row["id"]))
        await connection.execute("UPDATE collections SET live = true WHERE id = %s", (number,))


async def drop_unfinished(connection: Connection, name: str) -> None:
    """Drop what an indexing that was broken off left behind; call it under the collection's lock."""
    cursor = await connection.execute("SELECT id FROM collections WHERE name = %s AND NOT live", (name,))
    for row in await cursor.fetchall():
        async with connection.transaction():
            await _drop(connection, int(row["id"]))


async def _drop(connection: Connection, number: int) -> None:
    """Drop the collection of that id with its tables."""
    await connection.execute("DELETE FROM collections WHERE id = %s", (number,))
    await drop_tables(connection, number)
