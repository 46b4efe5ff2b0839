"""Vectors that were computed before they are stored, so that nobody waits for a model inside the store's batch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from langchain_core.embeddings import Embeddings

from store.embedding import Embedder, Vector

_known: ContextVar[Mapping[str, Vector] | None] = ContextVar("_known", default=None)


class LookUpEmbeddings(Embeddings):
    """Hands the store vectors that were computed before; only what is not known is embedded.

    The store embeds inside its batch, where other users wait for it, and embeds queries as documents.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        """Refuse: the store is used from coroutines."""
        raise NotImplementedError(f"{len(texts)} texts: use the store from a coroutine.")

    def embed_query(self, text: str) -> Vector:
        """Refuse: the store is used from coroutines."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[Vector]:
        """Return the vectors that the caller computed, or compute them."""
        known = dict(_known.get() or {})
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known |= zip(missing, await self._embedder.embed_documents(missing), strict=True)
        return [known[text] for text in texts]


@contextmanager
def vectors(known: Mapping[str, Vector]) -> Iterator[None]:
    """Let the store calls within find these vectors by their text."""
    token = _known.set(known)
    try:
        yield
    finally:
        _known.reset(token)
