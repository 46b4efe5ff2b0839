"""The baselines of the search: PGVectorStore's own hybrid over plain chunks, and Postgres' ts_rank on its text."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from uuid import uuid4

from langchain_core.embeddings import Embeddings
from langchain_postgres import PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from psycopg.sql import SQL, Identifier

from evals.corpora import Corpus
from evals.relevance import Piece
from store.chunking import Chunk, chunk
from store.embedding import Embedder, Vector
from store.knowledge import Knowledge
from store.lexical import terms

PLAIN = "PGVectorStore hybrid"
LEXICAL = "ts_rank"
_LEG = 50
_BATCH = 500
_INSERT = SQL(
    """INSERT INTO {} (langchain_id, content, embedding, content_tsv)
       SELECT id::uuid, content, vector::vector, to_tsvector('pg_catalog.simple', content)
       FROM unnest(%s::text[], %s::text[], %s::text[]) AS new (id, content, vector)"""
)


class PlainIndex:
    """A vector store as its documentation sets it up, over the same chunks cut into words beforehand."""

    def __init__(
        self, knowledge: Knowledge, table: str, store: PGVectorStore, texts: dict[str, Piece]
    ) -> None:
        self._knowledge, self._table, self._store, self._texts = knowledge, table, store, texts

    @classmethod
    @asynccontextmanager
    async def over(cls, knowledge: Knowledge, corpus: Corpus) -> AsyncIterator["PlainIndex"]:
        """Index the chunks of a corpus, which pieces name by their paths."""
        pieces = [(each, doc.source) for doc in corpus.documents for each in chunk(doc)]
        vectors = await knowledge.embedder.embed_documents([each.indexed for each, _ in pieces])
        async with cls.of(knowledge, pieces, vectors) as index:
            yield index

    @classmethod
    @asynccontextmanager
    async def of(
        cls, knowledge: Knowledge, pieces: Sequence[tuple[Chunk, str]], vectors: Sequence[Vector]
    ) -> AsyncIterator["PlainIndex"]:
        """Fill a table of its own, drop it afterwards.

        The rows are those that the store's own ``aadd_embeddings`` writes, one statement each.

        Args:
            knowledge: the index.
            pieces: chunks, each with the path of its article.
            vectors: one a chunk.
        """
        table = f"eval_{uuid4().hex[:12]}"
        texts = {str(uuid4()): Piece(path, each.text) for each, path in pieces}
        await knowledge.engine.ainit_vectorstore_table(
            table, await knowledge.embedder.dimensions(), hybrid_search_config=_config("")
        )
        try:
            async with knowledge.pool.connection() as connection:
                rows = zip(texts, pieces, vectors, strict=True)
                for batch in iter(lambda: list(islice(rows, _BATCH)), []):
                    await connection.execute(
                        _INSERT.format(Identifier(table)),
                        (
                            [key for key, _, _ in batch],
                            [" ".join(terms(each.indexed)) for _, (each, _), _ in batch],
                            [str(vector) for _, _, vector in batch],
                        ),
                    )
                await connection.execute(SQL("ANALYZE {}").format(Identifier(table)))
            store = await PGVectorStore.create(
                knowledge.engine,
                _LangChainEmbeddings(knowledge.embedder),
                table,
                hybrid_search_config=_config(""),
            )
            yield cls(knowledge, table, store, texts)
        finally:
            async with knowledge.pool.connection() as connection:
                await connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(table)))

    async def hybrid(self, text: str, k: int) -> list[Piece]:
        """Search with a fresh config: one that is used twice keeps the first question's text."""
        found = await self._store.asimilarity_search(
            text, k=k, hybrid_search_config=_config(" ".join(terms(text)))
        )
        return [self._texts[document.id or ""] for document in found]

    async def ts_rank(self, text: str, k: int) -> list[Piece]:
        """Rank by ts_rank over the question's terms, any of which may occur."""
        statement = SQL(
            """SELECT langchain_id::text AS id
               FROM {}, (SELECT string_agg(quote_literal(term), ' | ')::tsquery AS asked FROM unnest(%s::text[]) AS term) q
               WHERE content_tsv @@ asked ORDER BY ts_rank(content_tsv, asked) DESC LIMIT %s"""
        ).format(Identifier(self._table))
        async with self._knowledge.pool.connection() as connection:
            cursor = await connection.execute(statement, (terms(text), k))
            return [self._texts[row["id"]] for row in await cursor.fetchall()]


class _LangChainEmbeddings(Embeddings):
    """The embedder in LangChain's form, for those who search the vector store with text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def aembed_query(self, text: str) -> list[float]:
        """Embed a question."""
        return await self._embedder.embed_query(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed passages."""
        return await self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """Refuse: the embedder is asynchronous."""
        raise NotImplementedError("Use the asynchronous calls.")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Refuse: the embedder is asynchronous."""
        raise NotImplementedError("Use the asynchronous calls.")


def _config(query: str) -> HybridSearchConfig:
    return HybridSearchConfig(
        tsv_column="content_tsv",
        tsv_lang="pg_catalog.simple",
        fts_query=query,
        fusion_function=reciprocal_rank_fusion,
        primary_top_k=_LEG,
        secondary_top_k=_LEG,
    )
