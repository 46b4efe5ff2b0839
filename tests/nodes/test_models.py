"""Chat models behind a real HTTP server on loopback that fails in the ways that endpoints fail."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from time import sleep
from typing import ClassVar

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI

from nodes.models import chat_model, invoke, invoke_briefly, usage_of
from store.errors import ConfigError, ModelError
from store.settings import Settings, load_settings
from tests.endpoint import listening, serving
from tests.scripted import scripted

_ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "served",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "好"}}],
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 1,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 4},
    },
}


class _Endpoint(BaseHTTPRequestHandler):
    script: ClassVar[list[int]] = []
    requests: ClassVar[list[dict[str, object]]] = []

    def do_POST(self) -> None:
        self.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        status = self.script.pop(0) if self.script else 200
        if status == 0:
            sleep(4.0)
        if self.requests[-1].get("stream"):
            self._fall_silent()
            return
        body = json.dumps(_ANSWER if status == 200 else {"error": {"message": f"status {status}"}}).encode()
        self.send_response(status or 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(BrokenPipeError):
            self.wfile.write(body)

    def _fall_silent(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        sleep(4.0)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def endpoint() -> Iterator[Settings]:
    _Endpoint.script.clear()
    _Endpoint.requests.clear()
    with listening(_Endpoint) as url:
        yield load_settings(openai_base_url=url, chat_model="served", request_timeout=2.0, request_retries=0)


async def _ask(settings: Settings) -> AIMessage:
    return await invoke(chat_model(settings), [HumanMessage("hi")])


async def test_a_live_model_answers_and_reports_its_tokens(endpoint: Settings) -> None:
    reply = await _ask(endpoint)
    assert reply.text == "好"
    assert usage_of(reply) == {"calls": 1, "input": 9, "output": 1, "cached": 4}
    assert _Endpoint.requests[0]["model"] == "served"


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "SUPPORTPILOT_CHAT_MODEL"), (429, "Wait"),
     (500, "500"), (0, "SUPPORTPILOT_REQUEST_TIMEOUT")],
)  # fmt: skip
async def test_a_failing_endpoint_is_a_typed_error_with_its_remedy(
    endpoint: Settings, status: int, remedy: str
) -> None:
    _Endpoint.script.append(status)
    with pytest.raises(ModelError, match=remedy):
        await _ask(endpoint)
    assert (await _ask(endpoint)).text == "好"


async def test_a_stream_that_falls_silent_is_given_up_in_time_with_the_same_error(endpoint: Settings) -> None:
    model = chat_model(endpoint)
    assert isinstance(model, ChatOpenAI)
    with pytest.raises(ModelError, match="SUPPORTPILOT_REQUEST_TIMEOUT"):
        await invoke(model.model_copy(update={"streaming": True}), [HumanMessage("hi")])


async def test_a_dead_endpoint_is_named(endpoint: Settings) -> None:
    dead = endpoint.model_copy(update={"openai_base_url": "http://127.0.0.1:9/v1"})
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        await _ask(dead)


def test_a_model_of_an_endpoint_without_key_and_url_is_an_error_that_names_both() -> None:
    with pytest.raises(ConfigError, match=r"'gpt-4o'.*OPENAI_API_KEY.*OPENAI_BASE_URL"):
        chat_model(load_settings(chat_model="gpt-4o"))


async def test_a_call_is_retried_as_often_as_the_settings_say(endpoint: Settings) -> None:
    _Endpoint.script.extend([429, 200])
    reply = await _ask(endpoint.model_copy(update={"request_retries": 1, "request_timeout": 30.0}))
    assert reply.text == "好"
    assert len(_Endpoint.requests) == 2


async def test_no_part_of_a_reply_holds_what_postgres_refuses() -> None:
    sent = AIMessage(
        [{"type": "text", "text": "a\0\ud83d好\U0001f600"}],
        id="m\0",
        tool_calls=[{"name": "hand\0_over", "args": {"s\0": ["x\0y", {"n": 1.5}]}, "id": "1\ud83d"}],
        invalid_tool_calls=[
            {"name": "f\0", "args": '{"a\ud83d', "id": "2\0", "error": "\0", "type": "invalid_tool_call"}
        ],
        additional_kwargs={"reasoning": "b\0"},
    )
    reply = await invoke(scripted(sent), [HumanMessage("hi")])
    assert reply.text == "a好\U0001f600"
    assert reply.id == "m"
    (call,) = reply.tool_calls
    assert (call["name"], call["args"], call["id"]) == ("hand_over", {"s": ["xy", {"n": 1.5}]}, "1")
    (bad,) = reply.invalid_tool_calls
    assert (bad["name"], bad["args"], bad["id"], bad["error"]) == ("f", '{"a', "2", "")
    assert reply.additional_kwargs == {"reasoning": "b"}


async def test_a_model_that_writes_without_end_is_stopped_at_a_whole_line() -> None:
    with serving() as served:
        served.chat = "endless"
        model = chat_model(load_settings(openai_base_url=served.url, chat_model="served", request_retries=0))
        reply = await asyncio.wait_for(invoke_briefly(model, [HumanMessage("notes")], 100), 20)
    lines = reply.text.splitlines()
    assert 80 < len(reply.text) <= 100
    assert len(set(lines)) == 1


async def test_a_short_answer_is_whole_and_tells_its_tokens() -> None:
    with serving() as served:
        model = chat_model(load_settings(openai_base_url=served.url, chat_model="served", request_retries=0))
        assert (await invoke_briefly(model, [HumanMessage("notes")], 100)).text == "请看退款政策。"
    reply = await invoke_briefly(scripted("- T1 好", usage=[7]), [HumanMessage("notes")], 100)
    assert (reply.text, usage_of(reply)["input"]) == ("- T1 好", 7)


async def test_a_short_answer_that_breaks_off_is_an_error_and_not_half_an_answer() -> None:
    with serving() as served:
        served.chat = "ended"
        model = chat_model(load_settings(openai_base_url=served.url, chat_model="served", request_retries=0))
        with pytest.raises(ModelError, match="broke off"):
            await invoke_briefly(model, [HumanMessage("notes")], 100)


async def test_a_dead_endpoint_is_named_where_a_short_answer_is_asked_for() -> None:
    dead = load_settings(openai_base_url="http://127.0.0.1:9/v1", chat_model="served", request_retries=0)
    with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
        await invoke_briefly(chat_model(dead), [HumanMessage("notes")], 100)
