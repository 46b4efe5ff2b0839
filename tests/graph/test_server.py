"""The graph behind a real ``langgraph dev``, driven by its SDK."""

import pickle
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from graph.support import Support
from store.settings import Settings
from tests.graph.dev_server import langgraph_dev

_QUESTION: dict[str, Any] = {"messages": [{"role": "user", "content": "年付套餐买错了能退款吗"}]}


@pytest.fixture(scope="module")
async def client(
    config: Settings, support: Support, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[LangGraphClient]:
    """A server on the shared database, where the sample is ingested already; it kept runs whose threads are gone."""
    assert support.resources.settings.database_url == config.database_url
    log = tmp_path_factory.mktemp("server") / "log"
    _keep_orphaned_runs(log.parent, 10)
    async with langgraph_dev(log, DATABASE_URL=config.database_url or "") as url:
        client = get_client(url=url)
        yield client
        await client.aclose()


def _keep_orphaned_runs(folder: Path, count: int) -> None:
    """Write what a development server that was stopped leaves behind of requests without a thread."""
    now = datetime.now(UTC)
    runs = [
        {"run_id": uuid4(), "thread_id": uuid4(), "status": "running", "created_at": now, "updated_at": now}
        for _ in range(count)
    ]
    (folder / ".langgraph_api").mkdir()
    (folder / ".langgraph_api" / ".langgraph_ops.pckl").write_bytes(pickle.dumps({"runs": runs}))


async def test_a_run_answers_with_citations_and_its_decision(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    values = await client.runs.wait(thread["thread_id"], "support", input=_QUESTION)
    assert isinstance(values, dict)
    assert "[kb-002#" in values["messages"][-1]["content"]
    assert values["decision"]["route"] == "fixed"


@pytest.mark.parametrize(
    ("user", "way"),
    [
        ("", ["prepare", "route", "retrieve", "call", "review"]),
        ("ann", ["prepare", "remember", "route", "recall", "retrieve", "call", "review", "finish"]),
    ],
)
async def test_tokens_stream_and_updates_name_the_nodes_that_have_something_to_do(
    client: LangGraphClient, user: str, way: list[str]
) -> None:
    thread = await client.threads.create()
    events = [
        event
        async for event in client.runs.stream(
            thread["thread_id"],
            "support",
            input=_QUESTION,
            context={"user_id": user},
            stream_mode=["messages-tuple", "updates"],
        )
    ]
    updated = [name for event in events if event.event == "updates" for name in event.data]
    assert updated == way
    pieces = [
        e.data[0]["content"]
        for e in events
        if e.event == "messages" and e.data[0]["type"] == "AIMessageChunk"
    ]
    assert len(pieces) > 3
    assert "kb-002" in "".join(pieces)


async def test_history_lists_the_states_of_the_thread(client: LangGraphClient) -> None:
    thread = await client.threads.create()
    await client.runs.wait(thread["thread_id"], "support", input=_QUESTION)
    history = await client.threads.get_history(thread["thread_id"], limit=20)
    lengths = [len(state["values"].get("messages", [])) for state in history]  # type: ignore[union-attr]  # the SDK's union of lists and dicts
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == 4


async def test_one_thread_goes_from_code_to_the_server_and_back_as_one_transcript(
    client: LangGraphClient, support: Support
) -> None:
    thread = str(uuid4())
    await support.ask("年付套餐能退款吗", thread=thread)
    await client.threads.create(thread_id=thread, if_exists="do_nothing")
    follow_up: dict[str, Any] = {"messages": [{"role": "user", "content": "那月付的呢"}]}
    values = await client.runs.wait(thread, "support", input=follow_up)
    await support.ask("谢谢", thread=thread)
    log = await support.history(thread)
    assert [m.text for m in log if m.type == "human"] == ["年付套餐能退款吗", "那月付的呢", "谢谢"]
    assert isinstance(values, dict)
    assert [m["id"] for m in values["messages"]] == [m.id for m in log[:-2]]


async def test_a_run_brings_a_message_and_nothing_else_of_the_state(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "support", input={**_QUESTION, "plan": {"a": 1}, "ticket": 4})
    values = await client.runs.wait(thread, "support", input=_QUESTION)
    assert isinstance(values, dict)
    assert len([m for m in values["messages"] if m["type"] == "human"]) == 2
    assert values["plan"]["turn"] == 1
    assert values["ticket"] is None


async def test_the_schemas_are_there_for_studio(client: LangGraphClient) -> None:
    assistant = (await client.assistants.search(graph_id="support"))[0]
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert [*(schemas["input_schema"] or {})["properties"]] == ["messages"]
    assert "user_id" in (schemas["context_schema"] or {})["properties"]
