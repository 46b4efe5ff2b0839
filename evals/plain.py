"""The baselines of the search: PGVectorStore's own hybrid over plain chunks, and Postgres' ts_rank on its text."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from langchain_postgres import PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from psycopg.sql import SQL, Identifier

from evals.corpora import Corpus
from evals.relevance import Piece
from store.chunking import chunk
from store.knowledge import Knowledge, LangChainEmbeddings
from store.lexical import terms

PLAIN = "PGVectorStore hybrid"
LEXICAL = "ts_rank"
_LEG = 50


class PlainIndex:
    """A vector store as its documentation sets it up, over the same chunks cut into words beforehand."""

    def __init__(
        self, knowledge: Knowledge, table: str, store: PGVectorStore, texts: dict[str, Piece]
    ) -> None:
        self._knowledge, self._table, self._store, self._texts = knowledge, table, store, texts

    @classmethod
    @asynccontextmanager
    async def over(cls, knowledge: Knowledge, corpus: Corpus) -> AsyncIterator["PlainIndex"]:
        """Fill a table of its own, drop it afterwards."""
        table = f"eval_{uuid4().hex[:12]}"
        await knowledge.engine.ainit_vectorstore_table(
            table, await knowledge.embedder.dimensions(), hybrid_search_config=_config("")
        )
        try:
            store = await PGVectorStore.create(
                knowledge.engine,
                LangChainEmbeddings(knowledge.embedder),
                table,
                hybrid_search_config=_config(""),
            )
            pieces = [(each, doc.source) for doc in corpus.documents for each in chunk(doc)]
            vectors = await knowledge.embedder.embed_documents([each.indexed for each, _ in pieces])
            ids = await store.aadd_embeddings([" ".join(terms(each.indexed)) for each, _ in pieces], vectors)
            yield cls(
                knowledge,
                table,
                store,
                {key: Piece(path, each.text) for key, (each, path) in zip(ids, pieces, strict=True)},
            )
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


def _config(query: str) -> HybridSearchConfig:
    return HybridSearchConfig(
        tsv_column="content_tsv",
        tsv_lang="pg_catalog.simple",
        fts_query=query,
        fusion_function=reciprocal_rank_fusion,
        primary_top_k=_LEG,
        secondary_top_k=_LEG,
    )
