"""What agent-chat-ui asks of a server, as its SDK sends it, and the stream of events that it reads."""

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from graph.support import Support
from store.settings import Settings
from tests.graph.dev_server import langgraph_dev

_QUESTION = "年付套餐买错了能退款吗"


@pytest.fixture(scope="module")
async def client(
    config: Settings, support: Support, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LangGraphClient]:
    """A signed-in user's client."""
    assert support.resources.settings.database_url == config.database_url
    tokens = {"ann": {"user_id": "ann", "tenant": f"chat-{uuid4().hex[:8]}"}}
    variables = {"DATABASE_URL": config.database_url or "", "SUPPORTPILOT_AUTH_TOKENS": json.dumps(tokens)}
    async with langgraph_dev(tmp_path_factory.mktemp("chat") / "log", **variables) as url:
        client = get_client(url=url, headers={"Authorization": "Bearer ann"})
        yield client
        await client.aclose()


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
