"""Logs that no agent should make, and that a thread holds all the same after a crash, an edit or an import."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage

from nodes.log import merge_messages
from nodes.window import hide, read_result, recall_history, simulate
from nodes.window.advance import Scene, advance, move
from nodes.window.budget import Budget
from nodes.window.clear import clear_old_tool_results
from nodes.window.compact import compact
from nodes.window.estimator import Estimator, Meter
from nodes.window.plan import WindowPlan
from nodes.window.render import Fixed
from nodes.window.tokens import content_text, message_tokens
from nodes.window.trim import trim_history
from nodes.window.valid import problems
from tests.nodes.window.generate import budgets, odd_logs, plans

FIXED = Fixed.of("你是客服", [{"type": "function", "function": {"name": "f"}}])
often = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


def _scene(budget: Budget) -> Scene:
    return Scene(budget=budget, fixed=FIXED, meter=Meter(Estimator("gpt-4o")))


async def _model(messages: list[BaseMessage]) -> BaseMessage:
    return AIMessage("## facts\n- T1 用户提了问题" if len(messages) % 2 else "")


@often
@given(
    odd_logs(), plans(), budgets(), st.sampled_from([[], ["500", "c1"], ["f", '"'], ["tool_call", "500元"]])
)
def test_every_window_is_valid_within_the_budget_and_the_same_again(
    log: list[BaseMessage], plan: WindowPlan, budget: Budget, forgotten: list[str]
) -> None:
    scene, plan = _scene(budget), hide(plan, forgotten)
    for chosen in (advance(plan, log, scene), move(plan, log, scene)):
        window = scene.window(chosen, log)
        again = scene.window(WindowPlan.from_dict(chosen.to_dict()), log)
        assert problems(window.messages) == []
        assert scene.meter.request(window.counts) <= budget.limit
        assert [m.model_dump() for m in window.messages] == [m.model_dump() for m in again.messages]


@often
@given(odd_logs(), st.sampled_from(["T1", "E1043 500元", "问题", ""]), st.sampled_from(["r0", "r3", "x", ""]))
def test_replay_finds_or_says_how_to_search(log: list[BaseMessage], query: str, name: str) -> None:
    asked = [*log, HumanMessage("找回")]
    assert len(recall_history(query, asked)) <= 3 * 1_502 + 200
    assert read_result(name, asked)


@often
@given(odd_logs(), st.integers(0, 3), st.integers(10, 5_000))
def test_the_three_steps_alone_take_any_list(log: list[BaseMessage], keep: int, budget: int) -> None:
    assert len(clear_old_tool_results(log, keep_recent=keep)) == len(log)
    assert any(isinstance(m, HumanMessage) for m in trim_history(log, budget)) or not isinstance(
        log[-1], HumanMessage
    )
    folded = asyncio.run(compact(log, _model, trigger=1, keep_last_turns=keep))
    systems = [place for place, message in enumerate(folded) if message.type == "system"]
    assert folded is log or systems == [0]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(odd_logs(), budgets())
def test_any_thread_can_be_replayed_under_a_policy(log: list[BaseMessage], budget: Budget) -> None:
    async def calls() -> list[list[BaseMessage]]:
        return [call.window.messages async for call in simulate(log, _scene(budget), model=_model)]

    assert all(problems(messages) == [] for messages in asyncio.run(calls()))


@often
@given(odd_logs(), odd_logs(), st.sampled_from(["m1", "m2", "nobody", "__remove_all__"]))
def test_folding_twice_equals_folding_once_whatever_is_removed(
    one: list[BaseMessage], other: list[BaseMessage], gone: str
) -> None:
    first, second = [one, RemoveMessage(id=gone)], [[*other, RemoveMessage(id="m3")]]
    assert merge_messages(merge_messages([], first), second) == merge_messages([], [*first, *second])


def test_an_image_takes_what_images_take_however_many_bytes_it_has() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUJD" * 250_000}}
    asked = HumanMessage([{"type": "text", "text": "这张截图是什么错误"}, image], id="q")
    assert message_tokens(asked) < 2_000
    scene = _scene(Budget())
    assert scene.window(advance(WindowPlan(), [asked], scene), [asked]).messages[-1] == asked
    assert len(content_text(asked.content)) < 5_000
