"""What can be done with a thread beside talking on it."""

from uuid import uuid4

import pytest

import nodes.scene
from graph import threads
from graph.support import Support
from nodes.state import Context
from nodes.window.summary import summary
from store.errors import AccessDeniedError, ModelError, SupportPilotError
from store.threads import Owner, resolve_thread

QUESTIONS = ("年付套餐买错了能退款吗", "发票抬头写错了怎么改", "外币的账怎么记", "怎么升级套餐", "谢谢")
SMALL = {"window": 9_000, "reserve": 1_000, "high": 2_500, "low": 800}


async def _thread(support: Support, context: Context, rounds: int = 1) -> str:
    name = f"thread-{uuid4()}"
    for question in QUESTIONS * rounds:
        await support.ask(question, thread=name, context=context)
    return name


async def _asked(support: Support, name: str, context: Context) -> list[str]:
    return [m.text for m in await support.history(name, context=context) if m.type == "human"]


async def test_a_rolled_back_thread_goes_on_from_the_earlier_turn_and_knows_what_was_given_up(
    support: Support,
) -> None:
    ann = Context(user_id="ann", budget=SMALL)
    name = await _thread(support, ann)
    await threads.rollback(support, name, ann, 2, "方案不合适")
    assert await _asked(support, name, ann) == list(QUESTIONS[:2])
    await support.ask("谢谢", thread=name, context=ann)
    state = await support.state(resolve_thread(Owner("default", "ann"), name))
    front = state["fronts"][state["messages"][-2].id]
    assert "after T2" in front
    assert QUESTIONS[2] in front
    assert "方案不合适" in front
    assert len(state["calls"]) == 3


async def test_a_rollback_to_a_turn_that_broke_off_restores_it_and_no_turn_that_was_given_up(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = Context(user_id="ann", model="offline")
    name = f"thread-{uuid4()}"
    for question in QUESTIONS[:3]:
        await support.ask(question, thread=name, context=ann)
    await threads.rollback(support, name, ann, 1, "")

    def fails(*_: object) -> None:
        raise ModelError("The model is out of reach.")

    with monkeypatch.context() as patch:
        patch.setattr(nodes.scene, "chat_model", fails)
        with pytest.raises(ModelError):
            await support.ask(QUESTIONS[3], thread=name, context=ann)
    await support.ask(QUESTIONS[4], thread=name, context=ann)
    await threads.rollback(support, name, ann, 2, "")
    assert await _asked(support, name, ann) == [QUESTIONS[0], QUESTIONS[3]]
    assert (await support.ask(QUESTIONS[2], thread=name, context=ann)).answer
    assert await _asked(support, name, ann) == [QUESTIONS[0], QUESTIONS[3], QUESTIONS[2]]
    await threads.rollback(support, name, ann, 1, "")
    assert await _asked(support, name, ann) == [QUESTIONS[0]]


async def test_a_refuted_turn_is_corrected_in_front_of_the_next_question_and_in_the_notes(
    support: Support,
) -> None:
    ben = Context(user_id="ben", budget=SMALL)
    name = await _thread(support, ben)
    await threads.refute(support, name, ben, 1, "退款规则说错了")
    for question in (*QUESTIONS[1:], *QUESTIONS):
        await support.ask(question, thread=name, context=ben)
    state = await support.state(resolve_thread(Owner("default", "ben"), name))
    asked = [m.id for m in state["messages"] if m.type == "human"]
    assert "退款规则说错了" in state["fronts"][asked[5]]
    assert state["fronts"][asked[6]] == ""
    assert [n["text"] for n in state["plan"]["notes"] if n["heading"] == "refuted"] == ["退款规则说错了"]


async def test_a_replay_under_the_same_budget_is_what_happened_and_without_management_is_dearer(
    support: Support,
) -> None:
    eve = Context(user_id="eve", budget=SMALL)
    name = await _thread(support, eve, rounds=2)
    recorded = await threads.inspect(support, name, eve)
    again = await threads.replay(support, name, eve, "compact")
    assert recorded.calls[-1]["moves"] >= 1
    assert [call["moves"] for call in again.calls] == [call["moves"] for call in recorded.calls]
    for one, other in zip(recorded.calls, again.calls, strict=True):
        assert other["estimated"] == pytest.approx(one["actual"], rel=0.02)
    none = await threads.replay(support, name, eve, "none")
    assert summary(none.calls, none.budget).mean_tokens > summary(again.calls, again.budget).mean_tokens
    assert "T1" in recorded.left


async def test_foreign_unknown_and_impossible_threads_and_turns_are_refused(support: Support) -> None:
    ann = Context(user_id="ann")
    name = await _thread(support, ann)
    thread_uuid = resolve_thread(Owner("default", "ann"), name)
    with pytest.raises(AccessDeniedError):
        await threads.inspect(support, thread_uuid, Context(user_id="ben"))
    with pytest.raises(SupportPilotError, match="Nothing was said"):
        await threads.inspect(support, "nowhere", ann)
    for to in (0, 5, 9):
        with pytest.raises(SupportPilotError, match=f"Turn {to} is not among"):
            await threads.rollback(support, name, ann, to, "")
    with pytest.raises(SupportPilotError, match="Turn 6 is not among"):
        await threads.refute(support, name, ann, 6, "x")
