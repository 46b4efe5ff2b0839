"""The window's pipeline within whole turns: small budgets, so that the plan moves every few turns."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import httpx2
import openai
import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from pydantic import PrivateAttr

import nodes.pipeline
import nodes.scene
from graph.support import Support, config_of
from nodes.offline.model import OfflineChatModel
from nodes.state import Context
from nodes.window.tokens import content_text
from nodes.window.valid import problems
from store.errors import ConfigError, ContextOverflowError
from store.resources import using
from tests.scripted import Scripted

SMALL = {"window": 9_000, "reserve": 1_000, "high": 4_000, "low": 1_300}
FIRST = "我买了年付企业版，能退款吗"
OTHERS = (
    "发票抬头写错了怎么改",
    "外币的账怎么记",
    "如何导入招商银行流水",
    "谢谢",
    "怎么升级套餐",
    "怎么添加成员",
    "How many ledgers does the free plan have?",
    "忘记密码怎么办",
)
LATER = "回到最开始的套餐，年付企业版退款金额怎么算"


class Recording(OfflineChatModel):
    """The offline model, which keeps the requests that it answers."""

    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    async def _respond(self, messages: Sequence[BaseMessage], *args: Any, **kwargs: Any) -> AIMessage:
        self._requests.append(list(messages))
        return await super()._respond(messages, *args, **kwargs)

    @property
    def requests(self) -> list[list[BaseMessage]]:
        return self._requests


@pytest.fixture
def model(support: Support, monkeypatch: pytest.MonkeyPatch) -> Recording:
    recording = Recording(embedder=support.resources.knowledge.embedder)
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: recording)
    return recording


async def _talk(support: Support, *questions: str, budget: dict[str, Any] = SMALL) -> tuple[str, Any]:
    thread = str(uuid4())
    for question in questions:
        reply = await support.ask(question, thread=thread, context=Context(budget=budget))
    return reply.answer, await support.state(thread)


async def test_every_request_of_a_long_thread_is_valid_and_within_the_budget(
    support: Support, model: Recording
) -> None:
    _, state = await _talk(support, FIRST, *OTHERS, *OTHERS, LATER)
    assert len({record["turn"] for record in state["calls"]}) == 18
    assert not any(problems(request) for request in model.requests)
    assert all(call["actual"] <= 8_000 for call in state["calls"])
    assert 2 <= state["calls"][-1]["moves"] <= 6
    assert [m.text for m in state["messages"] if m.type == "human"] == [FIRST, *OTHERS, *OTHERS, LATER]


async def test_between_two_moves_a_request_begins_with_the_one_before(
    support: Support, model: Recording
) -> None:
    _, state = await _talk(support, FIRST, *OTHERS)
    calls = [r for r in model.requests if "Write the notes" not in content_text(r[-1].content)]
    for before, after, record in zip(calls[:-1], calls[1:], state["calls"][1:], strict=True):
        same = [content_text(m.content) for m in after[: len(before)]] == [
            content_text(m.content) for m in before
        ]
        assert same == (not record["broke"])
        assert (record["cause"] == "") == same
        assert record["cached_predicted"] == pytest.approx(
            record["cached_reported"], abs=0.02 * record["actual"] + 400 * record["broke"]
        )


async def test_the_pipeline_runs_only_when_the_plan_is_due(support: Support) -> None:
    ran: list[list[str]] = []
    thread = str(uuid4())
    for question in (FIRST, *OTHERS):
        run = support.graph.astream(
            {"messages": [HumanMessage(question, id=str(uuid4()))]},
            config_of(thread),
            context=Context(budget=SMALL),
            stream_mode="updates",
        )
        ran.append([name async for event in using(support.resources, run) for name in event])
    moved = [names for names in ran if "clear" in names]
    assert 1 <= len(moved) <= 3
    assert all(names[names.index("clear") :][:4] == ["clear", "trim", "compact", "call"] for names in moved)
    assert not any("trim" in names or "compact" in names for names in ran if names not in moved)


async def _oracle(_: object) -> AIMessage:
    return AIMessage("## facts\n- T1 用户买了年付企业版，问能否退款")


async def _empty(_: object) -> AIMessage:
    return AIMessage("")


async def _truncating(_: object) -> AIMessage:
    return AIMessage("## facts\n- T1 用户买了年")


async def _lying(_: object) -> AIMessage:
    return AIMessage("## facts\n- T1 用户买了月付专业版 9731 元，不能退款")


@pytest.mark.parametrize("summariser", [_oracle, _empty, _truncating, _lying])
async def test_a_question_about_a_turn_that_left_is_answered_right_whoever_wrote_the_notes(
    support: Support,
    model: Recording,
    monkeypatch: pytest.MonkeyPatch,
    summariser: Callable[[object], Any],
) -> None:
    async def scripted(*_: object) -> RunnableLambda[Any, Any]:
        return RunnableLambda(summariser)

    monkeypatch.setattr(nodes.pipeline, "model_of", scripted)
    answer, state = await _talk(support, FIRST, *OTHERS, LATER)
    sent = model.requests[-1]
    assert FIRST not in [m.text for m in sent]
    assert isinstance(sent[0], SystemMessage)
    assert "T1 " in sent[0].text
    assert "企业版" in sent[0].text
    assert "9731" not in sent[0].text
    assert "剩余" in answer
    assert "[kb-002#" in answer
    assert state["plan"]["turn"] > 1


async def test_what_is_new_about_the_user_stands_in_front_of_one_question_until_the_next_move(
    support: Support, model: Recording
) -> None:
    thread, context = str(uuid4()), Context(user_id=f"user-{uuid4()}", budget=SMALL)
    for question in ("谢谢", "以后回答我请先说结论", "你好", "谢谢"):
        await support.ask(question, thread=thread, context=context)
    asked = [content_text(m.content) for m in model.requests[-1] if isinstance(m, HumanMessage)]
    assert [text.rpartition("\n")[2] for text in asked][-2:] == ["你好", "谢谢"]
    assert sum("<current>" in text for text in asked) == 1
    assert "结论" in next(text for text in asked if "<current>" in text)
    assert "结论" not in content_text(model.requests[-1][0].content).partition("# ")[2]


async def test_a_budget_that_contradicts_itself_is_refused_with_its_values(support: Support) -> None:
    for wrong, words in (({"high": 5, "low": 5}, "low=5"), ({"hihg": 5}, "hihg"), ({"low": "x"}, "low")):
        with pytest.raises(ConfigError, match=words):
            await support.ask("谢谢", context=Context(budget=wrong))


class Refusing(Scripted):
    """A model that refuses its first requests as too long."""

    refused: int = 1

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        if len(self.asked) < self.refused:
            self.asked.append(messages)
            request = httpx2.Request("POST", "http://model")
            raise openai.BadRequestError(
                "the request exceeds the available context size",
                response=httpx2.Response(400, request=request),
                body=None,
            )
        return super()._generate(messages, *args, **kwargs)


async def test_a_request_that_is_refused_as_too_long_is_sent_once_more_and_smaller(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = str(uuid4())
    for question in (FIRST, *OTHERS[:4]):
        await support.ask(question, thread=thread)
    refusing = Refusing(messages=iter([AIMessage("不客气")] * 3), disable_streaming=True)
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: refusing)
    reply = await support.ask("谢谢", thread=thread, context=Context(model="refusing"))
    assert reply.answer == "不客气"
    first, second = (sum(len(content_text(m.content)) for m in request) for request in refusing.asked)
    assert second < first / 2
    assert (await support.state(thread))["calls"][-1]["moves"] == 1


async def test_a_model_that_takes_less_than_the_budget_is_told_of_and_leaves_other_threads_alone(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = Refusing(messages=iter([AIMessage("不客气")] * 3), disable_streaming=True)
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: refusing)
    small = Context(model="takes-little")
    with pytest.raises(ContextOverflowError, match="SUPPORTPILOT_BUDGET__WINDOW"):
        await support.ask("谢谢", context=small)
    reply = await support.ask("谢谢", context=small)
    calls = (await support.state(reply.thread_id))["calls"]
    assert calls[-1]["moves"] == 0


async def test_where_nothing_more_can_be_cut_the_refusal_is_what_is_told(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = Refusing(messages=iter(()), disable_streaming=True, refused=9)
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: refusing)
    tight = Context(model="tight", budget={"window": 4_000, "reserve": 100})
    with pytest.raises(ContextOverflowError, match="too long"):
        await support.ask("谢" * 900, context=tight)
