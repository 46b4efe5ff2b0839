"""Nearness in meaning, from an embedder's vectors."""

from collections.abc import Sequence

import numpy as np

from nodes.offline.scoring import Nearness, unrelated_meaning
from store.embedding import Embedder


async def nearness(texts: Sequence[str], embedder: Embedder | None) -> Nearness:
    """Embed texts once and return the cosine of any two of them.

    Args:
        texts: all texts that will be compared.
        embedder: none gives 0 for every pair.

    Raises:
        RetrievalError: the embedder fails.
    """
    if embedder is None or not texts:
        return unrelated_meaning
    place = {text: n for n, text in enumerate(texts)}
    vectors = np.asarray(await embedder.embed_documents(texts), dtype=np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)

    def cosine(one: str, other: str) -> float:
        if one not in place or other not in place:
            return 0.0
        return float(vectors[place[one]] @ vectors[place[other]])

    return cosine
