"""The check within a turn, with a model that answers by script."""

from collections.abc import Iterator, Sequence
from typing import Any, cast
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

import nodes.retrieve
import nodes.scene
from graph.reply import Reply
from graph.support import Support
from nodes.citations import cited_ids
from nodes.passages import passages_in
from nodes.phrases import NOT_FOUND, OPEN_POINT
from nodes.state import Context
from store.resources import using
from tests.scripted import Scripted

QUESTION = "年付套餐买错了能退款吗"
SEARCH = '{"name": "search_kb", "arguments": {"query": "年付套餐买错了能退款吗"}}'
RIGHT = "年付套餐可以退款，退款金额按剩余的整月数折算"


def _usage(tokens: int) -> dict[str, int]:
    return {"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1}


class Turn:
    """Asks the question of a model that gives certain answers."""

    def __init__(self, support: Support, monkeypatch: pytest.MonkeyPatch) -> None:
        self._support, self._monkeypatch = support, monkeypatch
        self.model = Scripted(messages=iter([]))
        self.review: dict[str, Any] = {}

    async def __call__(self, *answers: str, question: str = QUESTION) -> Reply:
        script: Iterator[AIMessage] = iter([AIMessage(text, usage_metadata=_usage(100)) for text in answers])
        self.model = Scripted(messages=script, disable_streaming=True)  # a streamed one reports no usage
        for place in (nodes.retrieve, nodes.scene):
            self._monkeypatch.setattr(place, "chat_model", lambda *_: self.model)
        reply = await self._support.ask(question, context=Context(model="scripted"))
        self.review = (await self._support.state(reply.thread_id))["review"]
        return reply


@pytest.fixture
def turn(support: Support, monkeypatch: pytest.MonkeyPatch) -> Turn:
    return Turn(support, monkeypatch)


@pytest.fixture
async def source(support: Support) -> str:
    """Id of the passage that says what `RIGHT` says."""
    reply = await support.ask(QUESTION)
    given = passages_in(await support.history(reply.thread_id))
    return next(id_ for id_, passage in given.items() if RIGHT in passage["text"])


@pytest.fixture
async def other(support: Support, source: str) -> str:
    """Id of another passage that the question finds."""
    reply = await support.ask(QUESTION)
    given = passages_in(await support.history(reply.thread_id))
    return next(id_ for id_, p in given.items() if id_ != source and "剩余" not in p["text"])


def _counts(turn: Turn) -> Sequence[int]:
    return [turn.review[name] for name in ("sentences", "supported", "repaired", "dropped", "answered")]


async def test_a_right_answer_stays_as_it_is(turn: Turn, source: str) -> None:
    reply = await turn(f"{RIGHT}。[{source}]")
    assert reply.answer == f"{RIGHT}。[{source}]"
    assert _counts(turn) == [1, 1, 0, 0, True]


async def test_a_sentence_without_citation_gets_one(turn: Turn) -> None:
    reply = await turn(f"{RIGHT}。还有别的问题吗？")
    assert len(cited_ids(reply.answer)) == 1
    assert reply.answer.endswith("还有别的问题吗？")
    assert len(reply.citations) == 1
    assert _counts(turn) == [1, 1, 0, 0, True]


async def test_a_bare_id_becomes_a_citation(turn: Turn, source: str) -> None:
    reply = await turn(f"{RIGHT}（{source}）。")
    assert cited_ids(reply.answer) == [source]


async def test_a_wrong_or_unknown_citation_is_corrected(turn: Turn, other: str) -> None:
    for wrong in (other, "kb-404#1"):
        reply = await turn(f"{RIGHT} [{wrong}]。")
        assert wrong not in reply.answer
        assert len(reply.citations) == 1


async def test_a_swapped_number_is_told_to_the_model_once_and_repaired(turn: Turn, source: str) -> None:
    reply = await turn(f"年付套餐 45 天内可以全额退款 [{source}]。", f"{RIGHT}。[{source}]")
    assert reply.answer == f"{RIGHT}。[{source}]"
    assert _counts(turn) == [1, 1, 1, 0, True]
    assert (reply.usage["input"], reply.usage["output"]) == (200, 2)
    told = turn.model.asked[-1][-1]
    assert isinstance(told, HumanMessage)
    assert "45" in told.text


async def test_what_the_model_does_not_repair_is_dropped(turn: Turn, source: str) -> None:
    wrong = f"{RIGHT}。[{source}]\n手续费是 45 元。[{source}]"
    reply = await turn(wrong, wrong)
    assert reply.answer == f"{RIGHT}。[{source}]"
    assert _counts(turn) == [2, 1, 0, 1, True]


DOUBLE = "年付套餐买错了能退款吗？另外你们的手机应用支持指纹登录吗？"


async def test_a_question_that_the_answer_leaves_out_is_told_to_the_model_once(turn: Turn) -> None:
    full = f"{RIGHT}。\n关于手机应用的指纹登录，帮助中心没有写到。"
    reply = await turn(SEARCH, f"{RIGHT}。", full, question=DOUBLE)
    assert "指纹登录" in turn.model.asked[-1][-1].text
    assert "指纹登录，帮助中心没有写到" in reply.answer
    assert turn.review["open"] == []


async def test_a_question_that_stays_left_out_is_named_as_open(turn: Turn) -> None:
    reply = await turn(SEARCH, f"{RIGHT}。", f"{RIGHT}。", question=DOUBLE)
    assert reply.answer.endswith(OPEN_POINT["zh"].format(question="你们的手机应用支持指纹登录吗？"))
    assert turn.review["open"] == ["你们的手机应用支持指纹登录吗？"]
    assert len(cited_ids(reply.answer)) == 1


async def test_a_repair_that_says_less_is_not_taken(turn: Turn, source: str) -> None:
    reply = await turn(f"{RIGHT}。[{source}]\n手续费是 45 元。[{source}]", "请问您想了解什么？")
    assert reply.answer == f"{RIGHT}。[{source}]"
    assert _counts(turn) == [2, 1, 0, 1, True]


async def test_an_answer_without_support_becomes_not_found(turn: Turn) -> None:
    reply = await turn("可以用比特币支付，手续费 45 元。", "比特币的手续费是 45 元。")
    assert reply.answer == NOT_FOUND["zh"]
    assert reply.citations == []
    assert _counts(turn) == [1, 0, 0, 1, False]


async def test_an_answer_of_an_id_alone_is_written_out(turn: Turn, source: str) -> None:
    reply = await turn(f"[{source}]", f"{RIGHT}。[{source}]")
    assert reply.answer == f"{RIGHT}。[{source}]"


async def test_the_repair_is_not_streamed(support: Support, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Scripted(messages=iter([AIMessage("手续费是 45 元。"), AIMessage(f"{RIGHT}。")]))
    for place in (nodes.retrieve, nodes.scene):
        monkeypatch.setattr(place, "chat_model", lambda *_: model)
    thread = str(uuid4())
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    run = support.graph.astream(
        {"messages": [HumanMessage(QUESTION, id=str(uuid4()))]},
        config,
        context=Context(model="scripted"),
        stream_mode="messages",
    )
    events = [
        cast("tuple[BaseMessage, dict[str, Any]]", event) async for event in using(support.resources, run)
    ]
    heard = {metadata["langgraph_node"] for chunk, metadata in events if isinstance(chunk, AIMessageChunk)}
    assert heard == {"call"}
    assert RIGHT in (await support.state(thread))["messages"][-1].text
