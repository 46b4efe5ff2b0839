import json
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.window.advance import Scene, advance, move
from nodes.window.budget import Budget, BudgetError
from nodes.window.estimator import Estimator, Meter
from nodes.window.plan import WindowPlan, corrections, mark_abandoned, mark_refuted
from nodes.window.render import Fixed
from nodes.window.tokens import content_text
from nodes.window.valid import problems
from tests.nodes.window.build import group, turn

BUDGET = Budget(window=5_000, reserve=500, high=3_000, low=1_000)
FIXED = Fixed.of("你是客服")


def _scene(**changes: Any) -> Scene:
    fields: dict[str, Any] = {"budget": BUDGET, "fixed": FIXED, "meter": Meter(Estimator("gpt-4o"))}
    return Scene(**fields | changes)


def _long(turns: int, width: int = 1) -> list[BaseMessage]:
    log = [
        m for i in range(1, turns + 1) for m in turn(i, [f"单号YF{i:06} " + "果" * 600] * width, "答" * 80)
    ]
    return [
        m if m.id else m.model_copy(update={"id": f"x{i}"})
        for i, m in enumerate([*log, HumanMessage("新问题", id="new")])
    ]


def _texts(plan: WindowPlan, log: list[BaseMessage], scene: Scene) -> list[str]:
    return [content_text(m.content) for m in scene.window(plan, log).messages]


def test_below_the_high_mark_nothing_moves() -> None:
    log = _long(2)
    plan = advance(WindowPlan(), log, _scene())
    assert plan == WindowPlan(opened=True)
    assert advance(plan, log, _scene()) is plan


def test_above_it_the_plan_clears_first_and_trims_no_more_than_needed() -> None:
    log = _long(6)
    plan = advance(WindowPlan(), log, _scene(budget=replace(BUDGET, low=1_000)))
    assert len(plan.cleared) == 6 - (plan.turn - 1)
    window = _scene().size(plan, log)
    assert window < 1_600
    assert plan.ledger.lines == tuple(f"T{i} YF{i:06}" for i in range(1, plan.turn))


def test_a_stub_keeps_the_identifiers_that_only_the_result_gave() -> None:
    log = _long(6)
    plan = advance(WindowPlan(), log, _scene())
    stubs = [text for text in _texts(plan, log, _scene()) if "cleared" in text]
    assert stubs
    assert all("YF00000" in text and "read_result r" in text for text in stubs)


def test_decisions_are_sticky_until_the_next_move() -> None:
    log = _long(6)
    scene = _scene()
    plan = advance(WindowPlan(), log, scene)
    longer = [*log, *turn(99, ["短"])[1:]]
    assert advance(plan, longer, scene) is plan
    before, after = _texts(plan, log, scene), _texts(plan, longer, scene)
    assert after[: len(before)] == before


def test_at_a_low_cache_price_a_move_waits_but_never_beyond_the_hard_limit() -> None:
    cheap = _scene(budget=replace(BUDGET, cache_price=0.0))
    plan, log = WindowPlan(), _long(1)
    while cheap.size(plan, log) <= BUDGET.limit:
        assert advance(plan, log, cheap).moves == 0
        log = _long(len([m for m in log if isinstance(m, HumanMessage)]))
    assert advance(plan, log, cheap).moves == 1


def test_a_forced_move_happens_whatever_the_marks_say() -> None:
    assert advance(WindowPlan(), _long(2), _scene(), force=True).moves == 1


def test_a_tool_loop_inside_one_turn_clears_all_but_its_newest_groups() -> None:
    log: list[BaseMessage] = [HumanMessage("比较所有套餐", id="q")]
    log += [m for i in range(12) for m in group(i, f"单号YF{i:06} " + "果" * 700)]
    scene = _scene(budget=replace(BUDGET, keep_groups=2))
    plan = advance(WindowPlan(), log, scene)
    results = [
        content_text(m.content) for m in scene.window(plan, log).messages if isinstance(m, ToolMessage)
    ]
    assert sum("cleared" in text for text in results) == 10
    assert all("果" * 700 in text for text in results[-2:])


def test_a_newest_turn_that_is_too_large_is_degraded_and_keeps_its_question() -> None:
    log: list[BaseMessage] = [HumanMessage("哪个最便宜" * 20, id="q"), *group(1, "果" * 3_000, width=9)]
    scene = _scene(budget=replace(BUDGET, result_tokens=5_000))
    plan = advance(WindowPlan(), log, scene)
    window = scene.window(plan, log)
    assert scene.meter.request(window.counts) <= BUDGET.limit
    assert problems(window.messages) == []
    assert content_text(window.messages[1].content) == "哪个最便宜" * 20
    assert all(
        "read_result r" in content_text(m.content) for m in window.messages if isinstance(m, ToolMessage)
    )


def test_groups_that_must_leave_are_covered_by_a_line_of_the_ledger() -> None:
    log: list[BaseMessage] = [HumanMessage("查全部", id="q")]
    log += [m for i in range(60) for m in group(i, f"YF{i:06} 短")]
    scene = _scene(budget=Budget(window=1_300, reserve=100, high=900, low=300))
    plan = advance(WindowPlan(), log, scene)
    assert plan.omitted
    assert plan.ledger.lines[0].startswith("T1 YF000000 YF000001")
    assert " r2 r4 " in plan.ledger.lines[0]
    assert scene.size(plan, log) <= 1_200


def test_a_prompt_that_leaves_no_room_is_named() -> None:
    with pytest.raises(BudgetError, match="window − reserve is 4500"):
        advance(WindowPlan(), _long(1), _scene(fixed=Fixed.of("长" * 9_000)))


def test_the_user_zone_is_taken_over_at_a_move_only() -> None:
    log = _long(2)
    plan = advance(WindowPlan(), log, _scene(user="偏好:邮件"))
    assert plan.user == "偏好:邮件"
    assert advance(plan, log, _scene(user="偏好:电话")).user == "偏好:邮件"
    assert move(plan, log, _scene(user="偏好:电话")).user == "偏好:电话"


def test_the_user_zone_loses_its_last_lines_above_its_cap() -> None:
    scene = _scene(budget=replace(BUDGET, user_tokens=12), user="偏好:邮件\n套餐:企业版\n银行:招商银行")
    assert advance(WindowPlan(), _long(1), scene).user == "偏好:邮件\n套餐:企业版"
    assert move(WindowPlan(), _long(1), scene).user == "偏好:邮件\n套餐:企业版"


def test_what_stood_in_front_of_a_question_stays_with_it_until_the_next_move() -> None:
    log = [*turn(1), HumanMessage("新问题", id="new")]
    scene = _scene(fronts={"q1": "记忆一", "new": "记忆二"})
    plan = advance(WindowPlan(), log, scene)
    assert _texts(plan, log, scene)[1:] == ["记忆一\n\n第1个问题", "第1个回答", "记忆二\n\n新问题"]
    moved = move(plan, log, scene)
    assert _texts(moved, log, scene)[1:] == ["第1个问题", "第1个回答", "记忆二\n\n新问题"]


def test_a_refuted_turn_is_corrected_at_once_and_noted_at_the_next_move() -> None:
    log = [m for i in range(1, 9) for m in turn(i, answer=f"可退{i}00元" + "嗯" * 600)]
    log.append(HumanMessage("新问题", id="new"))
    plan = mark_refuted(advance(WindowPlan(), log, _scene()), 1, "说可退100元,\n实际不能退")
    assert corrections(plan) == [
        "更正 correction: T1 有误 is wrong, do not build on it: 说可退100元, 实际不能退"
    ]
    assert mark_refuted(plan, 1, "说可退100元, 实际不能退") == plan
    moved = move(plan, log, _scene())
    assert corrections(moved) == []
    system = _texts(moved, log, _scene())[0]
    assert "T1[已更正 refuted] 100元" in system
    assert "## refuted\n- T1 说可退100元, 实际不能退" in system


def test_an_abandoned_attempt_leaves_a_record_of_a_few_dozen_tokens() -> None:
    plan = mark_abandoned(WindowPlan(), 4, "重新导入流水", "银行格式不支持")
    line = corrections(plan)[0]
    assert "T4" in line
    assert "重新导入流水 → 银行格式不支持" in line
    assert Meter(Estimator("gpt-4o")).text(line) < 60


def test_a_dangling_call_gets_a_result_that_says_so() -> None:
    log = [HumanMessage("退款", id="q"), group(1, "x")[0], HumanMessage("还在吗", id="q2")]
    messages = _scene().window(WindowPlan(), log).messages
    assert problems(messages) == []
    assert "no result" in content_text(messages[3].content)


def test_an_oversized_result_enters_with_head_tail_and_handle() -> None:
    log = [HumanMessage("查", id="q"), *group(1, "头" + "中" * 5_000 + "尾"), AIMessage("好", id="a")]
    text = content_text(_scene(budget=Budget()).window(WindowPlan(), log).messages[3].content)
    assert text[0] == "头"
    assert text[-1] == "尾"
    assert "read_result r2" in text
    assert 1_000 < len(text) <= 1_200


def test_passages_that_are_too_large_leave_by_rank_and_stay_json() -> None:
    passages = ",".join(f'{{"id": "kb-00{i}#1", "text": "{"段" * 500}"}}' for i in range(5))
    log = [HumanMessage("查", id="q"), *group(1, f'{{"passages": [{passages}]}}')]
    shown = json.loads(content_text(_scene(budget=Budget()).window(WindowPlan(), log).messages[3].content))
    assert [p["id"] for p in shown["passages"]] == ["kb-000#1", "kb-001#1"]
    assert "read_result r2" in shown["left_out"]


def test_finished_turns_are_cleared_early_where_that_pays_and_only_if_asked() -> None:
    log = _long(3)
    assert advance(WindowPlan(), log, _scene()).cleared == frozenset()
    early = _scene(budget=replace(BUDGET, clear_early=True))
    plan = advance(WindowPlan(), log, early)
    assert len(plan.cleared) == 3
    assert plan.moves == 0
    dear = _scene(budget=replace(BUDGET, clear_early=True, cache_price=0.0))
    assert advance(WindowPlan(), log, dear).cleared == frozenset()
    assert advance(WindowPlan(), [*log, group(9, "x")[0]], early).cleared == frozenset()
