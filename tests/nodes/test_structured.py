"""Structured output from a real HTTP server on loopback that knows some of its ways, or none."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage
from pydantic import BaseModel

from nodes.models import chat_model
from nodes.structured import structured
from store.errors import ModelError
from store.settings import load_settings
from tests.endpoint import listening

_ASKED = [HumanMessage('Name a town as JSON: {"name": "…"}')]


class Town(BaseModel):
    """A town."""

    name: str


class _Endpoint(BaseHTTPRequestHandler):
    role: ClassVar[str] = "assistant"
    answers: ClassVar[dict[str, str | int]] = {}
    """Way of asking → the answer's text, or the status of a refusal."""
    ways: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        way = _way(asked)
        self.ways.append(way)
        answer = self.answers.get(way, 400)
        status = answer if isinstance(answer, int) else 200
        body = {"error": {"message": f"no {way}"}} if isinstance(answer, int) else _completion(answer, way)
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def _way(asked: dict[str, Any]) -> str:
    return "tools" if "tools" in asked else asked.get("response_format", {}).get("type", "plain")


def _completion(answer: str, way: str) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": "Town", "arguments": answer}}
    said = {"content": None, "tool_calls": [call]} if way == "tools" else {"content": answer}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": _Endpoint.role, **said}}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "served",
        "choices": [choice],
        "usage": usage,
    }


@pytest.fixture
def model() -> Iterator[BaseChatModel]:
    _Endpoint.answers.clear()
    _Endpoint.ways.clear()
    with listening(_Endpoint) as url:
        yield chat_model(
            load_settings(openai_base_url=url, chat_model="served", request_timeout=5.0, request_retries=0)
        )


async def test_the_strictest_way_is_asked_first_and_its_tokens_are_counted(model: BaseChatModel) -> None:
    _Endpoint.answers["json_schema"] = '{"name": "乌镇"}'
    found = await structured(model, Town, _ASKED)
    assert found.parsed == Town(name="乌镇")
    assert found.usage == {"calls": 1, "input": 9, "output": 2, "cached": 0}
    assert _Endpoint.ways == ["json_schema"]


@pytest.mark.parametrize("known", ["tools", "json_object", "plain"])
async def test_an_endpoint_is_asked_in_the_way_that_it_knows(model: BaseChatModel, known: str) -> None:
    _Endpoint.answers[known] = '{"name": "乌镇"}'
    found = await structured(model, Town, _ASKED)
    assert found.parsed == Town(name="乌镇")
    assert _Endpoint.ways == ["json_schema", "tools", "json_object", "plain"][: len(_Endpoint.ways)]
    assert _Endpoint.ways[-1] == known


async def test_an_answer_that_does_not_keep_to_the_form_is_read_where_it_can_be(model: BaseChatModel) -> None:
    _Endpoint.answers["json_schema"] = "Gladly:\n```json\n{'name': '乌镇',}\n```"
    found = await structured(model, Town, _ASKED)
    assert found.parsed == Town(name="乌镇")
    assert _Endpoint.ways == ["json_schema"]


async def test_what_cannot_be_read_in_any_way_is_given_as_it_came(model: BaseChatModel) -> None:
    _Endpoint.answers.update(json_schema="no idea", json_object="still none")
    found = await structured(model, Town, _ASKED)
    assert (found.parsed, found.raw) == (None, "still none")
    assert found.usage["calls"] == 2


async def test_no_part_of_an_answer_holds_what_postgres_refuses(model: BaseChatModel) -> None:
    _Endpoint.answers["json_schema"] = '{"name": "乌\\u0000镇"}'
    assert (await structured(model, Town, _ASKED)).parsed == Town(name="乌镇")


@pytest.mark.parametrize(("status", "remedy"), [(401, "OPENAI_API_KEY"), (429, "Wait"), (500, "HTTP 500")])
async def test_an_endpoint_that_fails_is_a_typed_error_with_its_remedy(
    model: BaseChatModel, status: int, remedy: str
) -> None:
    _Endpoint.answers["json_schema"] = status
    with pytest.raises(ModelError, match=remedy):
        await structured(model, Town, _ASKED)
    assert _Endpoint.ways == ["json_schema"]


async def test_an_answer_in_the_name_of_the_user_is_read_all_the_same(
    model: BaseChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Endpoint, "role", "user")
    _Endpoint.answers["json_schema"] = '{"name": "乌镇"}'
    assert (await structured(model, Town, _ASKED)).parsed == Town(name="乌镇")
