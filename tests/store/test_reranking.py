"""The rerank endpoint, against a server on this machine that speaks its dialect."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from store.embedding import BundledEmbedder
from store.errors import RetrievalError
from store.ingest import ingest
from store.knowledge import open_knowledge
from store.postgres import Pool
from store.reranking import Reranker, open_reranker
from store.search import search
from store.settings import load_settings
from tests.endpoint import listening

Answer = Callable[[dict[str, Any]], tuple[int, object]]


@dataclass
class Endpoint:
    """The server's address, and the requests that it got."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[str | None] = field(default_factory=list)


@contextmanager
def endpoint(answer: Answer) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(request | {"path": self.path})
            served.headers.append(self.headers["Authorization"])
            status, body = answer(request)
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            pass

    with listening(Handler) as url:
        served = Endpoint(url)
        yield served


def by_word(word: str) -> Answer:
    """Answer as a model would that only looks for a word, best first."""

    def answer(request: dict[str, Any]) -> tuple[int, object]:
        found = [
            {"index": n, "relevance_score": 0.9 if word in text else 0.1}
            for n, text in enumerate(request["documents"])
        ]
        return 200, {"results": sorted(found, key=lambda each: -each["relevance_score"])}

    return answer


def reranker(url: str, retries: int = 0, **more: object) -> Reranker:
    opened = open_reranker(
        load_settings(rerank_url=url, rerank_model="judge-1", request_retries=retries, **more)
    )
    assert opened
    return opened


async def test_scores_come_back_in_the_order_of_the_documents() -> None:
    with endpoint(by_word("b")) as served:
        scores = await reranker(served.url, rerank_api_key="s3cret").relevance("q", ["a", "b", "c"])
    assert scores == [0.1, 0.9, 0.1]
    assert served.requests == [
        {"path": "/v1/rerank", "model": "judge-1", "query": "q", "documents": ["a", "b", "c"], "top_n": 3}
    ]
    assert served.headers == ["Bearer s3cret"]


async def test_a_server_that_is_busy_is_asked_again() -> None:
    answers = iter([(503, {}), (429, {}), (200, {"results": [{"index": 0, "relevance_score": 0.5}]})])
    with endpoint(lambda _: next(answers)) as served:
        assert await reranker(served.url, retries=2).relevance("q", ["a"]) == [0.5]
    assert len(served.requests) == 3


@pytest.mark.parametrize(
    ("answer", "words", "calls"),
    [
        ((503, {}), "503", 2),
        ((401, {}), "401", 1),
        ((200, b"<html>"), "Expecting value", 1),
        ((200, {"results": [{"index": 7, "relevance_score": 1}]}), "all 1", 1),
        ((200, {"result": []}), "all 1", 1),
        ((200, []), "all 1", 1),
    ],
)
async def test_what_cannot_be_used_is_named_with_the_remedy(
    answer: tuple[int, object], words: str, calls: int
) -> None:
    with (
        endpoint(lambda _: answer) as served,
        pytest.raises(RetrievalError, match=f"judge-1.*{words}.*SUPPORTPILOT_RERANK_URL"),
    ):
        await reranker(served.url, retries=1).relevance("q", ["a"])
    assert len(served.requests) == calls


async def test_a_dead_endpoint_is_named() -> None:
    with pytest.raises(RetrievalError, match="ConnectError"):
        await reranker("http://127.0.0.1:9").relevance("q", ["a"])


def test_without_a_url_there_is_none() -> None:
    assert open_reranker(load_settings()) is None


async def test_the_mode_rerank_follows_the_endpoint(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "yearly.md").write_text("# 年付套餐退款\n\n年付按剩余月数退款。", "utf-8")
    (tmp_path / "monthly.md").write_text("# 月付套餐\n\n月付中途不退，zebra。", "utf-8")
    with endpoint(by_word("zebra")) as served:
        async with open_knowledge(pool, BundledEmbedder(), reranker(served.url)) as knowledge:
            await ingest(knowledge, tmp_path, "reranked")
            hybrid = await search(knowledge, "年付能退款吗", collection="reranked", mode="hybrid")
            assert not served.requests
            found = await search(knowledge, "年付能退款吗", collection="reranked", mode="rerank")
    assert hybrid[0].doc_id == "yearly"
    assert (found[0].doc_id, found[0].score) == ("monthly", 0.9)
    assert served.requests[0]["query"] == "年付能退款吗"
