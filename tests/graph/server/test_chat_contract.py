"""What agent-chat-ui asks of a server, as its SDK sends it, and the stream of events that it reads."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from graph.support import Support
from store.settings import Settings
from tests.graph.dev_server import langgraph_dev

_QUESTION = "年付套餐买错了能退款吗"


@pytest.fixture(scope="module")
async def url(
    config: Settings, support: Support, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[str]:
    assert support.resources.settings.database_url == config.database_url
    tokens = {
        "ann": {"user_id": "ann", "tenant": f"chat-{uuid4().hex[:8]}"},
        "demo": {"user_id": "demo", "tenant": "default", "staff": True},
        "sam": {"user_id": "sam", "tenant": "default", "staff": True},
        "lee": {"user_id": "lee", "tenant": "default"},
        "other": {"user_id": "sam", "tenant": "another", "staff": True},
    }
    variables = {"DATABASE_URL": config.database_url or "", "SUPPORTPILOT_AUTH_TOKENS": json.dumps(tokens)}
    async with langgraph_dev(tmp_path_factory.mktemp("chat") / "log", **variables) as served:
        yield served


@asynccontextmanager
async def _signed_in(url: str, user: str) -> AsyncIterator[LangGraphClient]:
    client = get_client(url=url, headers={"Authorization": f"Bearer {user}"})
    try:
        yield client
    finally:
        await client.aclose()


@pytest.fixture
async def client(url: str) -> AsyncIterator[LangGraphClient]:
    """A signed-in user's client."""
    async with _signed_in(url, "ann") as signed_in:
        yield signed_in


async def _stream(client: LangGraphClient, thread: str, text: str) -> list[Any]:
    """Send a message as the UI's ``submit`` does, and return the events."""
    message = {"id": str(uuid4()), "type": "human", "content": [{"type": "text", "text": text}]}
    given: dict[str, Any] = {"messages": [message]}
    return [
        event
        async for event in client.runs.stream(
            thread,
            "support",
            input=given,
            stream_mode=["values", "messages-tuple", "custom"],
            stream_subgraphs=True,
            stream_resumable=True,
            on_disconnect="continue",
        )
    ]


async def test_a_turn_streams_tokens_then_states_whose_messages_are_the_log(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    events = await _stream(client, thread, _QUESTION)
    kinds = [event.event.split("|")[0] for event in events]
    assert kinds[0] == "metadata"
    assert {"messages", "values", "custom"} <= {*kinds}
    assert "error" not in kinds
    final = next(event.data for event in reversed(events) if event.event == "values")
    assert [message["type"] for message in final["messages"]] == ["human", "ai", "tool", "ai"]
    tokens = [
        e.data[0] for e in events if e.event.startswith("messages") and e.data[0]["type"] == "AIMessageChunk"
    ]
    last = final["messages"][-1]
    assert len(tokens) > 3
    assert {token["id"] for token in tokens} >= {last["id"]}


async def test_internal_model_calls_reach_no_stream(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await _stream(client, thread, "年付套餐能退款吗")
    events = await _stream(client, thread, "那月付的呢")
    spoken = {e.data[1]["langgraph_node"] for e in events if e.event.startswith("messages")}
    assert spoken <= {"prepare", "retrieve", "call", "tools", "review", "ask_back", "not_found"}
    final = next(event.data for event in reversed(events) if event.event == "values")
    streamed = {e.data[0]["id"] for e in events if e.event.startswith("messages")}
    assert streamed <= {message["id"] for message in final["messages"]}


async def test_the_list_of_threads_and_their_history_are_what_the_ui_reads(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await _stream(client, thread, _QUESTION)
    found = await client.threads.search(metadata={"graph_id": "support"}, limit=100)
    listed = next(one for one in found if one["thread_id"] == thread)
    values: Any = listed["values"]
    assert values["messages"][0]["type"] == "human"
    history = await client.threads.get_history(thread, limit=10)
    assert history[0]["values"]["messages"][-1]["type"] == "ai"  # type: ignore[call-overload]  # the SDK's union
    assert history[0]["next"] == []


async def test_an_answer_is_made_anew_from_an_earlier_checkpoint(client: LangGraphClient) -> None:
    """The UI's button "regenerate" runs on, without input, from the checkpoint before the answer."""
    thread = (await client.threads.create())["thread_id"]
    await _stream(client, thread, _QUESTION)
    history = await client.threads.get_history(thread, limit=20)
    before = next(state for state in reversed(history) if state["next"] == ["prepare"])
    values = await client.runs.wait(thread, "support", input=None, checkpoint=before["checkpoint"])
    assert isinstance(values, dict)
    assert [message["type"] for message in values["messages"]] == ["human", "ai", "tool", "ai"]


_APPROVE: Any = {"resume": {"decisions": [{"type": "approve"}]}}


async def test_a_request_waits_as_an_interrupt_that_the_staff_alone_resumes_by_the_servers_own_runs(
    url: str, support: Support
) -> None:
    async with _signed_in(url, "demo") as demo:
        thread = (await demo.threads.create())["thread_id"]
        events = await _stream(demo, thread, "年付套餐买错了，请帮我申请退款")
        final = next(event.data for event in reversed(events) if event.event == "values")
        (asked,) = final["__interrupt__"][0]["value"]["action_requests"]
        assert asked["name"] == "request_refund"
        assert (await demo.threads.get(thread))["status"] == "interrupted"
        for user in ("demo", "lee", "other"):
            assert await _resume(url, user, thread, _APPROVE) == httpx.codes.FORBIDDEN, user
        for command in ({**_APPROVE, "goto": "finish"}, {**_APPROVE, "update": {"messages": []}}):
            assert await _resume(url, "sam", thread, command) == httpx.codes.FORBIDDEN, command
        assert await _refunds(support, asked["approval_id"]) == 0
        assert await _resume(url, "sam", thread, _APPROVE) == httpx.codes.OK
        (_, run) = sorted(await demo.runs.list(thread), key=lambda one: one["created_at"])
        await demo.runs.join(thread, run["run_id"])
        values: Any = (await demo.threads.get_state(thread))["values"]
    assert await _refunds(support, asked["approval_id"]) == 1
    assert "request_refund" in [m["name"] for m in values["messages"] if m["type"] == "tool"]
    assert values["messages"][-1]["type"] == "ai"
    assert values["asker"]["user_id"] == "demo"
    assert await _resume(url, "sam", thread, _APPROVE) == httpx.codes.FORBIDDEN


async def _resume(url: str, user: str, thread: str, command: Any) -> int:
    async with _signed_in(url, user) as client:
        try:
            await client.runs.create(thread, "support", command=command)
        except httpx.HTTPStatusError as refused:
            return refused.response.status_code
    return httpx.codes.OK


async def _refunds(support: Support, approval: str) -> int:
    async with support.resources.pool.connection() as connection:
        cursor = await connection.execute("SELECT FROM refunds WHERE action_id = %s", (approval,))
    return cursor.rowcount
