"""What holds for every log, plan and budget."""

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage

from nodes.window.advance import Scene, advance, move
from nodes.window.budget import Budget
from nodes.window.clear import clear_old_tool_results
from nodes.window.estimator import Estimator, Meter
from nodes.window.log import Log
from nodes.window.plan import WindowPlan
from nodes.window.render import Fixed, render
from nodes.window.tokens import content_text, message_text
from nodes.window.trim import trim_history
from nodes.window.valid import problems
from tests.nodes.window.generate import budgets, logs, plans

FIXED = Fixed.of("你是客服", [{"type": "function", "function": {"name": "search_kb"}}])
often = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


def _scene(budget: Budget, front: str, log: list[BaseMessage]) -> Scene:
    question = Log.of(log).question()
    fronts = {f"m{question}": front} if front else {}
    return Scene(
        budget=budget, fixed=FIXED, user="偏好:邮件", fronts=fronts, meter=Meter(Estimator("gpt-4o"))
    )


def _question(log: list[BaseMessage]) -> str:
    return content_text(next(m for m in reversed(log) if isinstance(m, HumanMessage)).content)


@often
@given(logs(), plans(), budgets(), st.sampled_from(["", "记忆:用企业版"]))
def test_every_window_is_valid_within_the_budget_and_holds_the_question(
    log: list[BaseMessage], plan: WindowPlan, budget: Budget, front: str
) -> None:
    scene = _scene(budget, front, log)
    for chosen in (advance(plan, log, scene), move(plan, log, scene)):
        window = scene.window(chosen, log)
        assert problems(window.messages) == []
        assert scene.meter.request(window.counts) <= budget.limit
        asked = content_text(
            next(m for m in reversed(window.messages) if isinstance(m, HumanMessage)).content
        )
        question = _question(log)
        assert question in asked or (question[:10] in asked and "省略 cut" in asked)


@often
@given(logs(), plans(), budgets())
def test_any_plan_renders_to_a_valid_request(
    log: list[BaseMessage], plan: WindowPlan, budget: Budget
) -> None:
    assert problems(render(plan, log, fixed=FIXED, budget=budget).messages) == []


@often
@given(logs(), plans(), budgets())
def test_the_same_input_gives_the_same_bytes_also_from_a_stored_plan(
    log: list[BaseMessage], plan: WindowPlan, budget: Budget
) -> None:
    one = render(plan, log, fixed=FIXED, budget=budget)
    copied = [m.model_copy(deep=True) for m in log]
    other = render(WindowPlan.from_dict(plan.to_dict()), copied, fixed=FIXED, budget=budget)
    assert [m.model_dump_json() for m in one.messages] == [m.model_dump_json() for m in other.messages]
    assert WindowPlan.from_dict(plan.to_dict()) == plan


@often
@given(logs(), budgets())
def test_between_two_moves_every_window_is_the_one_before_plus_what_was_appended(
    log: list[BaseMessage], budget: Budget
) -> None:
    plan, windows = WindowPlan(), []
    for end in range(1, len(log) + 1):
        part = log[:end]
        if part[-1].type == "tool" or not any(isinstance(m, HumanMessage) for m in part):
            continue
        moved = advance(plan, part, _scene(budget, "", part))
        texts = [message_text(m) for m in render(moved, part, fixed=FIXED, budget=budget).messages]
        windows.append((moved.moves, part, texts))
        plan = moved
    for (moves, part, texts), (later, longer, grown) in pairwise(windows):
        late = [m for m in longer[len(part) :] if m.type in ("tool", "system")]
        if moves == later and not late:
            assert grown[: len(texts)] == texts


@often
@given(logs(), st.integers(0, 3), st.integers(10, 5_000))
def test_clearing_and_trimming_keep_a_valid_conversation_valid(
    log: list[BaseMessage], keep: int, budget: int
) -> None:
    valid = render(WindowPlan(), log, fixed=FIXED, budget=Budget()).messages
    assert problems(clear_old_tool_results(valid, keep_recent=keep)) == []
    assert problems(trim_history(valid, budget)) == []
