"""PGVectorStore's own hybrid search, the baseline: plain chunks, its own text search, its own fusion."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter
from uuid import uuid4

from langchain_postgres import PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from psycopg.sql import SQL, Identifier

from evals.corpora import Corpus
from evals.relevance import Piece
from store.chunking import chunk
from store.knowledge import Knowledge, LangChainEmbeddings
from store.lexical import terms

_LEG = 50


class PlainHybrid:
    """A vector store as its documentation sets it up, over the same chunks cut into words beforehand."""

    def __init__(self, store: PGVectorStore, texts: dict[str, Piece]) -> None:
        self._store, self._texts = store, texts
        self.milliseconds: list[float] = []

    @classmethod
    @asynccontextmanager
    async def over(cls, knowledge: Knowledge, corpus: Corpus) -> AsyncIterator["PlainHybrid"]:
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
                store,
                {key: Piece(path, each.text) for key, (each, path) in zip(ids, pieces, strict=True)},
            )
        finally:
            async with knowledge.pool.connection() as connection:
                await connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(table)))

    async def search(self, text: str, k: int) -> list[Piece]:
        """Search with a fresh config: one that is used twice keeps the first question's text."""
        began = perf_counter()
        found = await self._store.asimilarity_search(
            text, k=k, hybrid_search_config=_config(" ".join(terms(text)))
        )
        self.milliseconds.append(1_000 * (perf_counter() - began))
        return [self._texts[document.id or ""] for document in found]


def _config(query: str) -> HybridSearchConfig:
    return HybridSearchConfig(
        tsv_column="content_tsv",
        tsv_lang="pg_catalog.simple",
        fts_query=query,
        fusion_function=reciprocal_rank_fusion,
        primary_top_k=_LEG,
        secondary_top_k=_LEG,
    )
