"""The log as a ``DeltaChannel`` on Postgres: what the beta must keep doing for us."""

import asyncio
import time
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import ChannelVersions, CheckpointMetadata, empty_checkpoint
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.postgres import aio, base
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import INTERRUPT, _DeltaSnapshot
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from nodes.log import merge_messages
from store.checkpoints import Checkpointer
from store.persistence import open_persistence
from store.postgres import Pool
from store.settings import Settings


class _Log(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages, snapshot_frequency=4)]


_Graph = CompiledStateGraph[_Log, None, _Log, _Log]


def _call(state: _Log) -> dict[str, list[AnyMessage]]:
    turn = state["messages"][-1].text
    calls: list[ToolCall] = [{"name": tool, "args": {}, "id": f"{turn}-{tool}"} for tool in ("a", "b")]
    return {"messages": [AIMessage("", tool_calls=calls, id=f"{turn}-call")]}


async def _slow(state: _Log) -> dict[str, list[AnyMessage]]:
    turn = state["messages"][-2].text
    await asyncio.sleep(0.02)
    return {"messages": [ToolMessage("A", tool_call_id=f"{turn}-a", id=f"{turn}-A")]}


def _fast(state: _Log) -> dict[str, list[AnyMessage]]:
    turn = state["messages"][-2].text
    return {"messages": [ToolMessage("B", tool_call_id=f"{turn}-b", id=f"{turn}-B")]}


def _answer(state: _Log) -> dict[str, list[AnyMessage]]:
    return {"messages": [AIMessage(f"answer {len(state['messages'])}")]}


def _graph(saver: AsyncPostgresSaver) -> _Graph:
    graph = StateGraph(_Log)
    graph.add_node("call", _call)
    graph.add_node("a", _slow)
    graph.add_node("b", _fast)
    graph.add_node("answer", _answer)
    graph.add_edge(START, "call")
    graph.add_edge("call", "a")
    graph.add_edge("call", "b")
    graph.add_edge(["a", "b"], "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=saver)


def _thread() -> RunnableConfig:
    return {"configurable": {"thread_id": str(uuid4())}}


async def _turns(graph: _Graph, config: RunnableConfig, count: int) -> list[str]:
    for n in range(count):
        await graph.ainvoke({"messages": [HumanMessage(f"q{n}")]}, config, durability="sync")
    return await _texts(graph, config)


async def _texts(graph: _Graph, config: RunnableConfig) -> list[str]:
    return [m.text or m.type for m in (await graph.aget_state(config)).values["messages"]]


_ONE_TURN = ["q0", "ai", "A", "B", "answer 4"]


async def test_parallel_results_keep_the_order_of_their_nodes_whichever_ends_first(config: Settings) -> None:
    async with open_persistence(config) as (_, saver, _memories):
        assert await _turns(_graph(saver), _thread(), 1) == _ONE_TURN


async def test_the_log_and_its_ids_are_the_same_after_a_restart(config: Settings) -> None:
    thread = _thread()
    async with open_persistence(config) as (_, saver, _memories):
        before = await _turns(_graph(saver), thread, 6)
        ids = [m.id for m in (await _graph(saver).aget_state(thread)).values["messages"]]
    async with open_persistence(config) as (_, saver, _memories):
        assert await _texts(_graph(saver), thread) == before
        assert [m.id for m in (await _graph(saver).aget_state(thread)).values["messages"]] == ids
    assert len(before) == 30
    assert len(set(ids)) == 30


async def test_a_saver_made_for_one_request_knows_the_snapshots_that_others_decoded(config: Settings) -> None:
    async with open_persistence(config) as (pool, saver, _memories):
        assert Checkpointer(pool).serde is saver.serde


async def test_history_shows_each_step_with_the_log_as_it_was(config: Settings) -> None:
    async with open_persistence(config) as (_, saver, _memories):
        graph, thread = _graph(saver), _thread()
        await _turns(graph, thread, 2)
        lengths = [len(state.values.get("messages", [])) async for state in graph.aget_state_history(thread)]
    assert lengths == [10, 9, 7, 6, 5, 5, 4, 2, 1, 0]


async def test_a_fork_goes_its_own_way_and_leaves_the_past_alone(config: Settings) -> None:
    async with open_persistence(config) as (_, saver, _memories):
        graph, thread = _graph(saver), _thread()
        await _turns(graph, thread, 3)
        states = [state async for state in graph.aget_state_history(thread)]
        first_turn = next(s for s in states if len(s.values.get("messages", [])) == 5 and not s.next)
        await graph.ainvoke({"messages": [HumanMessage("fork")]}, first_turn.config, durability="sync")
        assert await _texts(graph, thread) == [*_ONE_TURN, "fork", "ai", "A", "B", "answer 9"]
        kept = await graph.aget_state(states[0].config)
        assert len(kept.values["messages"]) == 15


async def test_update_state_appends_replaces_and_removes_by_id(config: Settings) -> None:
    async with open_persistence(config) as (_, saver, _memories):
        graph, thread = _graph(saver), _thread()
        await _turns(graph, thread, 1)
        await graph.aupdate_state(
            thread, {"messages": [AIMessage("edited", id="q0-A"), RemoveMessage(id="q0-B")]}
        )
        assert await _texts(graph, thread) == ["q0", "ai", "edited", "answer 4"]


async def test_calls_on_one_saver_do_not_wait_for_each_other(config: Settings) -> None:
    async with open_persistence(config) as (pool, saver, _memories):
        async with saver._cursor() as one, saver._cursor() as other:
            assert one.connection is not other.connection
        assert pool.max_size > 1


def test_what_is_looked_through_at_once_is_still_a_constant_of_the_library() -> None:
    assert vars(base)["_DELTA_PAGE_SIZE"] == 1_024
    assert vars(aio)["_DELTA_PAGE_SIZE"] == 128


async def test_what_is_written_is_what_the_parent_saver_writes(config: Settings) -> None:
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {
        "plain": 7, "none": None, "list": ["a"], "log": _DeltaSnapshot([HumanMessage("q", id="1")]),
    }  # fmt: skip
    versions: ChannelVersions = dict.fromkeys(checkpoint["channel_values"], "1.5")
    metadata: CheckpointMetadata = {"source": "loop", "step": 3, "parents": {}}
    async with open_persistence(config) as (pool, saver, _memories):
        written = []
        for one in (saver, AsyncPostgresSaver(pool)):
            at: RunnableConfig = {"configurable": {"thread_id": str(uuid4()), "checkpoint_ns": ""}}
            put = await one.aput(at, checkpoint, metadata, versions)
            await one.aput_writes(put, [("list", ["b"]), ("log", "x")], "task", "path")
            await one.aput_writes(put, [(INTERRUPT, "asks")], "task", "path")
            written.append([await _rows(pool, table, at) for table in _TABLES])
    assert all(written[0])
    assert written[0] == written[1]


_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


async def _rows(pool: Pool, table: str, at: RunnableConfig) -> list[dict[str, Any]]:
    """Return a thread's rows without the name of the thread."""
    query = f"SELECT * FROM {table} WHERE thread_id = %s ORDER BY 1, 2, 3, 4, 5".encode()
    async with pool.connection() as connection:
        rows = await (await connection.execute(query, (at["configurable"]["thread_id"],))).fetchall()
    return [{name: value for name, value in row.items() if name != "thread_id"} for row in rows]


async def test_a_thread_that_the_parent_saver_began_goes_on(config: Settings) -> None:
    async with open_persistence(config) as (pool, saver, _memories):
        thread = _thread()
        await _turns(_graph(AsyncPostgresSaver(pool)), thread, 1)
        await _graph(saver).ainvoke({"messages": [HumanMessage("next")]}, thread, durability="sync")
        assert await _texts(_graph(saver), thread) == [*_ONE_TURN, "next", "ai", "A", "B", "answer 9"]
        versions = [saver.get_next_version(None, None)]
        for _ in range(11):
            versions.append(saver.get_next_version(versions[-1], None))
        assert versions == sorted(versions)
        assert len({version.split(".")[1] for version in versions}) == len(versions)


async def test_a_step_whose_edge_failed_is_done_again_and_the_turn_goes_on_after_it(config: Settings) -> None:
    failures = [ConnectionError("the database is away")]

    def ask(state: _Log) -> dict[str, list[AnyMessage]]:
        return {"messages": [AIMessage(f"asked {len(state['messages'])}, {len(failures)} to come")]}

    def edge(state: _Log) -> str:
        del state
        if failures:
            raise failures.pop()
        return "answer"

    graph = StateGraph(_Log)
    graph.add_node("ask", ask)
    graph.add_node("answer", _answer)
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", edge, ["answer"])
    graph.add_edge("answer", END)
    async with open_persistence(config) as (_, saver, _memories):
        compiled, thread = graph.compile(checkpointer=saver), _thread()
        with pytest.raises(ConnectionError):
            await compiled.ainvoke({"messages": [HumanMessage("q")]}, thread, durability="sync")
        assert [task.name for task in (await compiled.aget_state(thread)).tasks] == ["ask"]
        await compiled.ainvoke(None, thread, durability="sync")
        assert await _texts(compiled, thread) == ["q", "asked 1, 0 to come", "answer 2"]


async def test_rollback_of_a_run_takes_its_checkpoints_away(config: Settings) -> None:
    async with open_persistence(config) as (_, saver, _memories):
        graph, thread = _graph(saver), _thread()
        before = await _turns(graph, thread, 1)
        run = RunnableConfig(configurable=thread["configurable"], metadata={"run_id": "run-2"})
        await graph.ainvoke({"messages": [HumanMessage("again")]}, run, durability="sync")
        await saver.adelete_for_runs(["run-2"])
        assert await _texts(graph, thread) == before


async def test_the_whole_log_is_stored_once_in_a_while_not_at_every_step(config: Settings) -> None:
    async with open_persistence(config) as (pool, saver, _memories):
        graph, thread = _graph(saver), _thread()
        await _turns(graph, thread, 5)
        async with pool.connection() as connection:
            cursor = await connection.execute(
                "SELECT count(*) AS snapshots FROM checkpoint_blobs"
                " WHERE thread_id = %s AND channel = 'messages' AND length(blob) > 500",
                (thread["configurable"]["thread_id"],),
            )
            row = await cursor.fetchone()
    updates, every = 5 * 4, 4
    assert row is not None
    assert 0 < row["snapshots"] <= updates // every


async def test_a_turn_of_a_process_whose_clock_is_behind_is_the_threads_newest(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread: RunnableConfig = {"configurable": {"thread_id": str(uuid4())}}
    async with open_persistence(config) as (_, saver, _memories):
        graph = _graph(saver)
        await graph.ainvoke({"messages": [HumanMessage("first", id="1")]}, thread)
        an_hour_ago = time.time_ns() - 3_600 * 10**9
        monkeypatch.setattr(time, "time_ns", lambda: an_hour_ago)
        monkeypatch.setattr(ids, "_last_v6_timestamp", None)  # as in another process
        await graph.ainvoke({"messages": [HumanMessage("second", id="2")]}, thread)
        log = (await graph.aget_state(thread)).values["messages"]
    assert [m.text for m in log if isinstance(m, HumanMessage)] == ["first", "second"]
