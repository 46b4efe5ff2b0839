"""A reranker behind an endpoint: question and passages to relevance, in the dialect of Jina and Cohere."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx

from store.errors import RetrievalError
from store.settings import Settings

_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_PAUSE = 0.25
"""Seconds before the first retry; each further one waits twice as long."""


class Reranker:
    """A model that reads question and passage together: ``POST {base}/rerank``.

    The request holds ``model``, ``query``, ``documents`` and ``top_n``, the answer ``results``, a list of
    ``index`` and ``relevance_score``.
    """

    def __init__(self, settings: Settings) -> None:
        self.name = settings.rerank_model
        self._url = f"{(settings.rerank_url or '').rstrip('/')}/rerank"
        self._retries = settings.request_retries
        self._timeout = settings.request_timeout
        key = settings.rerank_api_key
        self._headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}

    async def relevance(self, query: str, documents: Sequence[str]) -> list[float]:
        """Return how relevant each document is to the query, in the model's own measure.

        Raises:
            RetrievalError: the endpoint is out of reach, refuses, or its answer does not cover the documents.
        """
        if not documents:
            return []
        request = {"model": self.name, "query": query, "documents": [*documents], "top_n": len(documents)}
        answer = await self._post(request)
        try:
            scores = {int(each["index"]): float(each["relevance_score"]) for each in answer["results"]}
            return [scores[place] for place in range(len(documents))]
        except (KeyError, TypeError, ValueError) as error:
            raise self._failed(
                f"its answer does not hold index and relevance_score of all {len(documents)}"
            ) from error

    async def _post(self, request: dict[str, Any]) -> Any:
        pause = _FIRST_PAUSE
        async with httpx.AsyncClient(timeout=self._timeout, headers=self._headers) as client:
            for retries_left in range(self._retries, -1, -1):
                try:
                    response = await client.post(self._url, json=request)
                    if response.status_code not in _RETRIED or not retries_left:
                        return response.raise_for_status().json()
                except (httpx.HTTPStatusError, ValueError) as error:
                    raise self._failed(str(error).partition("\n")[0]) from error
                except httpx.HTTPError as error:
                    if not retries_left:
                        raise self._failed(type(error).__name__) from error
                await asyncio.sleep(pause)
                pause *= 2
        raise AssertionError  # the last round returns or raises

    def _failed(self, why: str) -> RetrievalError:
        return RetrievalError(
            f"Rerank model {self.name!r} at {self._url!r} failed: {why}. Check SUPPORTPILOT_RERANK_URL, "
            "SUPPORTPILOT_RERANK_MODEL and SUPPORTPILOT_RERANK_API_KEY; leave the first one empty to rank offline."
        )


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that the settings name, if they name one."""
    return Reranker(settings) if settings.rerank_url else None
