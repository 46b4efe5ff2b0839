"""A turn that compacts, killed with SIGKILL between any two nodes: nothing is lost or doubled."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.support import Support, config_of
from nodes.state import Context, State
from nodes.window.tokens import content_text
from store.resources import using
from tests.graph.crash import SMALL, killed

QUESTIONS = (
    "年付套餐买错了能退款吗",
    "发票抬头写错了怎么改",
    "外币的账怎么记",
    "如何导入招商银行流水",
    "怎么升级套餐",
    "忘记密码怎么办",
    "谢谢",
)
_ROOT = Path(__file__).parents[2]
_CONTEXT = Context(budget=SMALL)


async def _nodes(support: Support, thread: str, question: str | None = None) -> list[str]:
    """Run a turn, or go on with one that was cut short, and return the nodes that ran."""
    run = support.graph.astream(
        {"messages": [HumanMessage(question, id=str(uuid4()))]} if question else None,
        config_of(thread),
        context=_CONTEXT,
        stream_mode="updates",
        durability="sync",
    )
    return [name async for event in using(support.resources, run) for name in event]


class Before(dict[str, Any]):
    """The state before a turn that compacts, and what that turn was without a crash."""

    question: str
    path: list[str]
    after: State


@pytest.fixture(scope="module")
async def before(support: Support) -> Before:
    thread = str(uuid4())
    for question in QUESTIONS * 2:
        state = dict(await support.state(thread))
        path = await _nodes(support, thread, question)
        if "compact" in path:
            found = Before(state)
            found.question, found.path = question, path
            found.after = cast("State", await support.state(thread))
            return found
    raise AssertionError("no turn compacted")


async def _copy(support: Support, before: Before) -> str:
    thread = str(uuid4())
    kept = {channel: value for channel, value in before.items() if channel != "usage"}
    await support.graph.aupdate_state(config_of(thread), kept, as_node="finish")
    return thread


async def _killed(support: Support, thread: str, node: str, question: str) -> None:
    await killed(support.resources.settings.database_url or "", thread, node, question)


def _said(log: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    return [(m.type, content_text(m.content)) for m in log]


async def test_a_turn_that_is_killed_between_any_two_nodes_goes_on_as_if_nothing_had_happened(
    support: Support, before: Before
) -> None:
    threads = {node: await _copy(support, before) for node in before.path}
    two = asyncio.Semaphore(2)

    async def kill(node: str) -> None:
        async with two:
            await _killed(support, threads[node], node, before.question)

    await asyncio.gather(*map(kill, before.path))
    for node, thread in threads.items():
        rest = await _nodes(support, thread)
        assert rest == before.path[before.path.index(node) :], node
        state = cast("State", await support.state(thread))
        assert _said(state["messages"]) == _said(before.after["messages"]), node
        for channel in ("turn", "ledger", "notes", "moves", "unwritten"):
            assert state["plan"][channel] == before.after["plan"][channel], (node, channel)
        assert len(state["calls"]) == len(before.after["calls"]), node
        assert state["move"] is None


async def test_a_new_message_after_a_kill_is_answered_and_the_old_one_is_not_lost(
    support: Support, before: Before
) -> None:
    for node in ("trim", "call"):
        thread = await _copy(support, before)
        await _killed(support, thread, node, before.question)
        reply = await support.ask("怎么添加成员", thread=thread, context=_CONTEXT)
        assert reply.answer, node
        state = cast("State", await support.state(thread))
        asked = [m.text for m in state["messages"] if m.type == "human"]
        assert asked[-2:] == [before.question, "怎么添加成员"], node
        assert len({m.id for m in state["messages"]}) == len(state["messages"])
        assert len(state["calls"]) == len(before["calls"]) + 1
        assert state["calls"][-1]["actual"] <= 8_000


async def test_a_call_whose_tools_never_ran_does_not_kill_the_thread(support: Support) -> None:
    thread = str(uuid4())
    call = {"name": "search_kb", "args": {"query": "x"}, "id": "c1", "type": "tool_call"}
    cut_short = [HumanMessage("比较两个套餐", id="q"), AIMessage("", id="a", tool_calls=[call])]
    await support.graph.aupdate_state(config_of(thread), {"messages": cut_short}, as_node="finish")
    reply = await support.ask("谢谢", thread=thread)
    assert reply.answer
    log = (await support.state(thread))["messages"]
    assert [m.id for m in log[:2]] == ["q", "a"]
    assert [m.type for m in log] == ["human", "ai", "human", "ai"]


async def test_a_cancelled_turn_leaves_a_thread_that_goes_on(support: Support, before: Before) -> None:
    thread = await _copy(support, before)
    turn = asyncio.create_task(support.ask(before.question, thread=thread, context=_CONTEXT))
    await asyncio.sleep(0.03)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    reply = await support.ask("怎么添加成员", thread=thread, context=_CONTEXT)
    assert reply.answer
    state = cast("State", await support.state(thread))
    assert [m.text for m in state["messages"] if m.type == "human"][-1] == "怎么添加成员"
    assert _said(state["messages"])[: len(before["messages"])] == _said(before["messages"])
