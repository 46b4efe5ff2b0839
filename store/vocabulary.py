"""What words mean: the vectors of single words, learnt when documents are ingested, looked up when a question comes."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from store.embedding import Embedder
from store.postgres import Pool

Words = NDArray[np.float32]
"""One row of length one a word."""

_KEPT = 60_000
"""Words that a process keeps in memory, about 2 KB each."""
_BATCH = 256


class Vocabulary:
    """The vectors of words by one model, kept in Postgres and, those in use, in the process."""

    def __init__(self, pool: Pool, embedder: Embedder) -> None:
        self._pool = pool
        self._embedder = embedder
        self._known: dict[str, NDArray[np.float32]] = {}

    async def learn(self, words: Iterable[str]) -> None:
        """Embed the words that nobody embedded before, and keep them."""
        await self._find(list(dict.fromkeys(words)), keep=True)

    async def vectors(self, words: Sequence[str], *, keep: bool) -> Words:
        """Return the vectors of some words.

        Args:
            words: which ones.
            keep: whether those that nobody embedded before are kept: words of documents, not of questions.
        """
        await self._find(words, keep=keep)
        return np.array([self._known[word] for word in words], dtype=np.float32)

    async def _find(self, words: Sequence[str], *, keep: bool) -> None:
        if len(self._known) > _KEPT:
            self._known = {}
        await self._read([word for word in words if word not in self._known])
        # In one order, so that no two that learn at once block each other.
        new = sorted(word for word in words if word not in self._known)
        for start in range(0, len(new), _BATCH):
            await self._embed(new[start : start + _BATCH], keep=keep)

    async def _read(self, words: Sequence[str]) -> None:
        if not words:
            return
        async with self._pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT word, embedding FROM words WHERE model = %s AND word = ANY(%s)",
                (self._embedder.name, list(words)),
                binary=True,
            )
            rows = await cursor.fetchall()
        self._known |= {
            row["word"]: np.frombuffer(row["embedding"], np.float16).astype(np.float32) for row in rows
        }

    async def _embed(self, words: Sequence[str], *, keep: bool) -> None:
        vectors = np.asarray(await self._embedder.embed_documents(words), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self._known |= dict(zip(words, vectors, strict=True))
        if keep:
            async with self._pool.connection() as connection, connection.cursor() as cursor:
                await cursor.executemany(
                    "INSERT INTO words (model, word, embedding) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
                    [
                        (self._embedder.name, word, vector.astype(np.float16).tobytes())
                        for word, vector in zip(words, vectors, strict=True)
                    ],
                )
