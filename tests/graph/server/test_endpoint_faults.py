"""Model and embedder behind a worker, when they fail: what a user is told, and that the conversation goes on."""

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.conftest import create_database
from tests.endpoint import DIMENSIONS, Endpoint, serving
from tests.graph.dev_server import plain_worker

_QUESTION = "年付套餐买错了能退款吗"
_FAULTS = ("refused", "slow", "429", "500", "cut", "ended", "malformed", "no choices")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        yield served


@pytest.fixture(scope="module")
async def worker(
    endpoint: Endpoint, server_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[httpx.AsyncClient]:
    log = tmp_path_factory.mktemp("endpoint") / "log"
    variables = {
        "DATABASE_URL": create_database(server_url, f"endpoint-{uuid4().hex[:8]}"),
        "OPENAI_BASE_URL": endpoint.url,
        "SUPPORTPILOT_CHAT_MODEL": "served",
        "SUPPORTPILOT_EMBEDDING_MODEL": "embeds",
        "SUPPORTPILOT_EMBEDDING_DIMENSIONS": str(DIMENSIONS),
        "SUPPORTPILOT_REQUEST_TIMEOUT": "3",
        "SUPPORTPILOT_REQUEST_RETRIES": "0",
    }
    async with (
        plain_worker(log, **variables) as (url, _),
        httpx.AsyncClient(base_url=url, timeout=120) as http,
    ):
        yield http


@pytest.fixture(autouse=True)
def _healed(endpoint: Endpoint) -> Iterator[None]:
    yield
    endpoint.chat = endpoint.embeddings = "ok"


async def _say(worker: httpx.AsyncClient, thread: str, message: str, text: str = _QUESTION) -> httpx.Response:
    body: dict[str, Any] = {"text": text, "thread": thread, "message_id": message}
    return await worker.post("/turns", json=body)


@pytest.mark.parametrize("fault", _FAULTS)
async def test_a_model_that_fails_is_told_of_and_the_same_message_is_answered_later(
    worker: httpx.AsyncClient, endpoint: Endpoint, fault: str
) -> None:
    thread, message = str(uuid4()), str(uuid4())
    endpoint.chat = fault
    refused = await _say(worker, thread, message)
    assert refused.status_code == httpx.codes.BAD_GATEWAY, refused.text
    assert "The chat model failed" in refused.json()["detail"]
    endpoint.chat = "ok"
    answered = await _say(worker, thread, message)
    assert answered.status_code == httpx.codes.OK, answered.text
    assert answered.json()["answer"]


async def test_a_follow_up_is_answered_though_the_endpoint_writes_prose_where_json_was_asked_for(
    worker: httpx.AsyncClient,
) -> None:
    thread = str(uuid4())
    await _say(worker, thread, str(uuid4()))
    followed = await _say(worker, thread, str(uuid4()), "那月付的呢")
    assert followed.status_code == httpx.codes.OK, followed.text
    assert followed.json()["answer"]


@pytest.mark.parametrize("fault", _FAULTS)
async def test_a_model_that_fails_at_a_follow_up_is_told_of_as_well(
    worker: httpx.AsyncClient, endpoint: Endpoint, fault: str
) -> None:
    thread = str(uuid4())
    await _say(worker, thread, str(uuid4()))
    endpoint.chat = fault
    refused = await _say(worker, thread, str(uuid4()), "那月付的呢")
    assert refused.status_code == httpx.codes.BAD_GATEWAY, refused.text
    assert "The chat model failed" in refused.json()["detail"]


@pytest.mark.parametrize("fault", ["refused", "500", "malformed", "no choices"])
async def test_an_embedder_that_fails_is_told_of_by_readiness_and_the_turn_and_is_used_again_later(
    worker: httpx.AsyncClient, endpoint: Endpoint, fault: str
) -> None:
    thread, message = str(uuid4()), str(uuid4())
    endpoint.embeddings = fault
    ready = await worker.get("/ready")
    assert (ready.status_code, ready.json()["embedder"]) == (httpx.codes.SERVICE_UNAVAILABLE, "failed")
    assert ready.json()["database"] == "ok"
    refused = await _say(worker, thread, message)
    assert refused.status_code == httpx.codes.BAD_GATEWAY, refused.text
    assert "Embedding model 'embeds'" in refused.json()["detail"]
    endpoint.embeddings = "ok"
    assert (await worker.get("/ready")).status_code == httpx.codes.OK
    assert (await _say(worker, thread, message)).status_code == httpx.codes.OK


async def test_a_model_out_of_reach_does_not_stop_what_needs_none(
    worker: httpx.AsyncClient, endpoint: Endpoint
) -> None:
    endpoint.chat = endpoint.embeddings = "refused"
    assert (await worker.get("/health")).status_code == httpx.codes.OK
    assert (await worker.get("/memories", headers={"X-User": "ann"})).status_code == httpx.codes.OK
