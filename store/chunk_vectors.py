"""A chunk's vector: that of its text, turned towards that of its headings."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from store.chunking import Chunk, heading_path
from store.embedding import Embedder, Vector
from store.lexical import fold

HEADING_SHARE = 0.3
"""Part of the headings' own vector in a chunk's vector, which else a long text drowns (flat from 0.3 to 0.4)."""


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk]) -> list[Vector]:
    """Return for each chunk a vector of length one: its text's, turned towards its headings'."""
    if not chunks:
        return []
    paths = [fold(heading_path(chunk)) for chunk in chunks]
    texts = dict.fromkeys([*(fold(chunk.indexed) for chunk in chunks), *paths])
    embedded = np.asarray(await embedder.embed_documents(list(texts)))
    vector = dict(zip(texts, embedded / np.linalg.norm(embedded, axis=1, keepdims=True), strict=True))
    return [
        _unit((1 - HEADING_SHARE) * vector[fold(chunk.indexed)] + HEADING_SHARE * vector[path])
        for chunk, path in zip(chunks, paths, strict=True)
    ]


def _unit(vector: NDArray[np.float64]) -> Vector:
    unit: Vector = (vector / np.linalg.norm(vector)).tolist()
    return unit
