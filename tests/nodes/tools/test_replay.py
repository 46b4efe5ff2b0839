import asyncio
from statistics import median
from time import perf_counter

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from graph.support import Support
from nodes.tools.replay import WORDS_ALONE, read_result, recall_history
from nodes.tools.turn import Turn
from nodes.window import WindowPlan, hide
from store.errors import RetrievalError
from store.threads import Owner

CALL = {"name": "get_order", "args": {}, "id": "c1"}
LOG: list[BaseMessage] = [
    HumanMessage("我的订单是 DD20260188，退款 496.84 元，开户行是招商银行", id="1"),
    AIMessage("", tool_calls=[CALL], id="2"),
    ToolMessage("\n".join(f"第 {n} 行 流水" for n in range(1, 201)), tool_call_id="c1", id="3"),
    AIMessage("已登记，三个工作日内退回", id="4"),
    HumanMessage("怎么换成员", id="5"),
    AIMessage("在设置里换", id="6"),
    HumanMessage("那么", id="7"),
]


def _turn(support: Support, log: list[BaseMessage], plan: WindowPlan, thread: str = "") -> Turn:
    return Turn(support.resources, Owner("default", "ann"), "", thread, log, plan=plan.to_dict())


async def test_history_is_found_by_number_by_words_and_by_meaning(support: Support) -> None:
    tool = recall_history(_turn(support, LOG, WindowPlan()))
    for query in ("DD20260188", "496.84", "开户行", "T1", "钱什么时候到账"):
        found = await tool.ainvoke({"query": query})
        assert found.startswith("T1\n"), query
        assert "496.84" in found


async def test_with_the_embedder_out_of_reach_words_alone_find_and_the_result_says_so(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object) -> None:
        raise RetrievalError("out of reach")

    monkeypatch.setattr(support.resources.knowledge.embedder, "embed_documents", down)
    tool = recall_history(_turn(support, LOG, WindowPlan()))
    found = await tool.ainvoke({"query": "开户行"})
    assert found.startswith("T1\n")
    assert found.endswith(WORDS_ALONE)
    assert (await tool.ainvoke({"query": "zebra"})).endswith(WORDS_ALONE)
    assert WORDS_ALONE not in await tool.ainvoke({"query": "DD20260188"})  # a code is looked up by itself


async def test_more_searches_than_threads_at_once_all_end(support: Support) -> None:
    tools = [recall_history(_turn(support, LOG, WindowPlan(), f"at once {n}")) for n in range(40)]
    async with asyncio.timeout(60):
        found = await asyncio.gather(*(tool.ainvoke({"query": "钱什么时候到账"}) for tool in tools))
    assert all("496.84" in one for one in found)


async def test_words_that_were_forgotten_do_not_come_back(support: Support) -> None:
    plan = hide(WindowPlan(), ["招商银行", "第 7 行"])
    turn = _turn(support, LOG, plan)
    assert "招商银行" not in await recall_history(turn).ainvoke({"query": "DD20260188"})
    assert "第 7 行" not in await read_result(turn).ainvoke({"handle": "r2"})


async def test_a_result_is_read_page_by_page_by_its_handle(support: Support) -> None:
    tool = read_result(_turn(support, LOG, WindowPlan()))
    first = await tool.ainvoke({"handle": "r2"})
    assert first.startswith("r2 lines 1–40 of 200; continue with start=41")
    last = await tool.ainvoke({"handle": "r2", "start": 181, "lines": 100})
    assert last.endswith("第 200 行 流水")
    assert "r2" in await tool.ainvoke({"handle": "nothing"})


async def test_a_thread_that_grew_is_read_on_and_another_branch_anew(support: Support) -> None:
    grown = [
        *LOG[:-1],
        HumanMessage("新开的工单是 GD-7788", id="8"),
        AIMessage("好", id="9"),
        HumanMessage("?", id="10"),
    ]
    for log, words in ((LOG, "DD20260188"), (grown, "GD-7788"), (LOG, "DD20260188")):
        found = await recall_history(_turn(support, log, WindowPlan(), "branch")).ainvoke({"query": words})
        assert words in found
    found = await recall_history(_turn(support, LOG, WindowPlan(), "branch")).ainvoke({"query": "GD-7788"})
    assert "新开的工单" not in found


async def test_a_code_is_found_in_a_long_thread_without_reading_its_meaning(support: Support) -> None:
    log: list[BaseMessage] = []
    for n in range(3_000):
        log += [HumanMessage(f"订单 DD{n:08} 有问题", id=f"u{n}"), AIMessage(f"回答 {n * 3}", id=f"a{n}")]
    tool = recall_history(_turn(support, [*log, HumanMessage("?", id="last")], WindowPlan(), "long"))
    took = []
    for n in range(100, 121):
        began = perf_counter()
        assert f"DD{n:08}" in await tool.ainvoke({"query": f"DD{n:08}"})
        took.append(perf_counter() - began)
    assert median(took[1:]) < 1.0  # embedding so many messages takes far longer
