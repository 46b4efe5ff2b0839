"""Long-term memories: LangGraph's Postgres store, used so that it neither loses nor mixes up anything."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace

from langgraph.store.base import PutOp, SearchItem, SearchOp
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row

from store.embedding import Embedder, Vector
from store.errors import ConfigError, StoreError
from store.known_vectors import LookUpEmbeddings, vectors
from store.memory import KINDS, Memory, embedded_text, from_value, namespace, owner_key, to_value
from store.postgres import Connection, Pool
from store.privacy import redact
from store.refined_memories import REFINED
from store.threads import Owner

_LOCK_SEED = 43

_transaction: ContextVar[Connection | None] = ContextVar("_transaction", default=None)


class ForgottenError(StoreError):
    """The user was forgotten after this write began; nothing is written."""


class MemoryStore(AsyncPostgresStore):
    """``AsyncPostgresStore`` on a pool: exact search within a user, transactions, and no neighbour's faults.

    The parent's default index (HNSW) is applied before the filter on the user and loses a user's memories:
    recall@5 was 0.08 with 100 users of 1,000 memories each. So there is none; the search within a namespace
    is exact. Our own calls bypass the parent's queue, whose batches fail as a whole with one bad value.
    """

    def __init__(
        self, pool: Pool, embedder: Embedder, dimensions: int, *, refiner: Embedder | None = None
    ) -> None:
        super().__init__(
            pool, index={"dims": dimensions, "embed": LookUpEmbeddings(embedder), "fields": ["text"]}
        )
        self.pool = pool
        self.embedder = embedder
        self.refiner = refiner
        """The slower model, for `store.refined_memories`; None where its package is not installed."""
        self.dimensions = dimensions

    async def setup(self) -> None:
        """Create the tables, without a vector index, and check that the vectors are this embedder's.

        Raises:
            ConfigError: they are another's; vectors of two models must not be mixed.
        """
        await super().setup()
        async with self.pool.connection() as connection:
            await connection.execute("DROP INDEX IF EXISTS store_vectors_embedding_idx")
            await connection.execute(REFINED)
            await self._check_embedder(connection)

    async def _check_embedder(self, connection: Connection) -> None:
        await connection.execute(
            "DELETE FROM memory_embedder WHERE NOT EXISTS (SELECT FROM store_vectors) AND (name, dimensions) <> (%s, %s)",
            (self.embedder.name, self.dimensions),
        )
        await connection.execute(
            "INSERT INTO memory_embedder (name, dimensions) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            (self.embedder.name, self.dimensions),
        )
        row = await (await connection.execute("SELECT name, dimensions FROM memory_embedder")).fetchone()
        if row is None or (row["name"], row["dimensions"]) != (self.embedder.name, self.dimensions):
            raise ConfigError(
                f"The memories were embedded by {row and row['name']!r}, the settings name {self.embedder.name!r}. "
                "Set SUPPORTPILOT_EMBEDDING_MODEL back, or run: supportpilot memory reembed"
            )

    @asynccontextmanager
    async def writing(self, owner: Owner, epoch: int | None = None) -> AsyncIterator[Connection]:
        """Hold a user for writing: one transaction, one writer, everything or nothing.

        Store calls within it run in the transaction.

        Args:
            owner: whose memories are written.
            epoch: what ``epoch`` returned before the content was read; ``None``: not checked.

        Raises:
            ForgottenError: the user was forgotten since.
        """
        key = owner_key(owner)
        async with self.pool.connection() as connection, connection.transaction():
            await connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (key, _LOCK_SEED)
            )
            if epoch is not None and epoch != await _epoch(connection, key):
                raise ForgottenError("The user was forgotten after this write began; nothing was written.")
            token = _transaction.set(connection)
            try:
                yield connection
            finally:
                _transaction.reset(token)

    async def epoch(self, owner: Owner) -> int:
        """Return how often a user was forgotten; a write hands it back, so that nothing comes back."""
        async with self.pool.connection() as connection:
            return await _epoch(connection, owner_key(owner))

    async def embed(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vector of each memory's text; call it before ``writing``, never within."""
        clean = list(dict.fromkeys(redact(text).text for text in texts))
        embedded = (
            await self.embedder.embed_documents([embedded_text(text) for text in clean]) if clean else []
        )
        return dict(zip(clean, embedded, strict=True))

    async def save(self, owner: Owner, memories: Sequence[Memory], known: Mapping[str, Vector]) -> None:
        """Write memories; a changed text takes its old vector with it. Call it within ``writing``.

        Args:
            owner: whose they are.
            memories: what to write, new or changed; private values are redacted once more.
            known: the vector of each text.
        """
        clean = sorted((redacted(memory) for memory in memories), key=lambda memory: (memory.kind, memory.id))
        places = [(namespace(owner, memory.kind), memory.id) for memory in clean]
        await self.abatch([PutOp(place, key, None) for place, key in places])
        with vectors(known):
            await self.abatch(
                [
                    PutOp(place, key, to_value(memory))
                    for (place, key), memory in zip(places, clean, strict=True)
                ]
            )

    async def remove(self, owner: Owner, memories: Sequence[Memory]) -> None:
        """Delete memories for good, their vectors with them."""
        await self.abatch([PutOp(namespace(owner, memory.kind), memory.id, None) for memory in memories])

    async def of(self, owner: Owner, *, kind: str = "", closed: bool = False) -> list[Memory]:
        """Return a user's memories, all of them, newest first.

        Args:
            owner: whose.
            kind: of one kind only.
            closed: with those that no longer hold.
        """
        prefixes = [".".join(namespace(owner, one)) for one in ((kind,) if kind else KINDS)]
        async with self._cursor() as cursor:
            # The store's own search pages by the time of writing, which many rows share: pages overlap.
            await cursor.execute("SELECT value FROM store WHERE prefix = ANY(%s)", (prefixes,))
            memories = [redacted(from_value(row["value"])) for row in await cursor.fetchall()]
        kept = [memory for memory in memories if closed or memory.status != "superseded"]
        return sorted(kept, key=lambda memory: (memory.written, memory.id), reverse=True)

    async def nearest(
        self, owner: Owner, text: str, vector: Vector, *, limit: int, closed: bool = False
    ) -> list[tuple[Memory, float]]:
        """Return a user's memories that hold, nearest in meaning first, with their cosine; `redacted` is to follow.

        Args:
            owner: whose.
            text: what is asked.
            vector: its embedding as a query.
            limit: most memories.
            closed: with those that no longer hold.
        """
        holding = None if closed else {"status": {"$ne": "superseded"}}
        with vectors({text: vector}):
            found = await self._search(SearchOp(namespace(owner), query=text, limit=limit, filter=holding))
        return [(from_value(item.value), item.score or 0.0) for item in found]

    async def _search(self, operation: SearchOp) -> list[SearchItem]:
        (found,) = await self.abatch([operation])
        return list(found)  # type: ignore[arg-type]  # a search returns items

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        held = _transaction.get()
        if held is None:
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
        else:
            async with held.cursor(binary=True, row_factory=dict_row) as cursor:
                yield cursor


async def _epoch(connection: Connection, key: str) -> int:
    cursor = await connection.execute("SELECT epoch FROM memory_epochs WHERE owner = %s", (key,))
    row = await cursor.fetchone()
    return row["epoch"] if row else 0


def redacted(memory: Memory) -> Memory:
    """Take private values out of a memory, when written and again before it is shown."""
    evidence = tuple(replace(one, span=redact(one.span).text) for one in memory.evidence)
    return replace(memory, text=redact(memory.text).text, value=redact(memory.value).text, evidence=evidence)
