"""Running a check by meaning with an embedder that is asked for many texts at once."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from nodes.citations.near import Similarity
from store.embedding import Embedder, Vector
from store.errors import RetrievalError

_Result = TypeVar("_Result")


async def by_embedding(check: Callable[[Similarity | None], _Result], embedder: Embedder) -> _Result:
    """Run a check whose similarity is the cosine of embeddings.

    The check runs to learn which texts it compares, taking unknown ones for alike; these are embedded in one
    go, and it runs again, until nothing is unknown. With the embedder out of reach it runs by words alone.

    Args:
        check: pure; it is run several times, in a thread.
        embedder: turns the texts into vectors.
    """
    known: dict[str, Vector] = {}
    while True:
        asked: set[str] = set()
        result = await asyncio.to_thread(check, _similarity(known, asked))
        if not asked:
            return result
        texts = sorted(asked)
        try:
            vectors = await embedder.embed_documents(texts)
        except RetrievalError:
            return await asyncio.to_thread(check, None)
        known.update(zip(texts, vectors, strict=True))


def _similarity(known: dict[str, Vector], asked: set[str]) -> Similarity:
    def similarity(one: str, other: str) -> float:
        if unknown := {one, other} - known.keys():
            asked.update(unknown)
            return 1.0
        a, b = np.asarray(known[one]), np.asarray(known[other])
        return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) or 1.0))

    return similarity
