from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from nodes.window.budget import Budget
from nodes.window.estimator import Estimator, Meter
from nodes.window.ledger import Ledger, ledger_line, line_turn
from nodes.window.log import Log
from nodes.window.moves import trim_turns
from nodes.window.plan import WindowPlan
from tests.nodes.window.build import turn

METER = Meter(Estimator("gpt-4o"))


def test_a_line_holds_what_was_asked_decided_and_said_and_the_identifiers_of_results() -> None:
    messages = [
        HumanMessage("企业版年付想退款,订单DD2026001"),
        ToolMessage('{"审批号": "SP37643310", "时间": "2026-11-23 07:05", "积分": 7055}', tool_call_id="c"),
        AIMessage("可退686.16元,3个工作日内到账"),
    ]
    assert ledger_line(12, messages) == "T12 退款 企业版 年付 DD2026001 686.16元 3个工作日内 SP37643310"


def test_a_turn_without_values_has_no_line() -> None:
    assert ledger_line(3, [HumanMessage("你好呀"), AIMessage("您好!")]) == ""


def test_a_long_list_of_identifiers_is_counted_beyond_its_cap() -> None:
    listed = " ".join(f"DD{i:06}" for i in range(40))
    assert ledger_line(1, [ToolMessage(listed, tool_call_id="c")]).endswith(" DD000023 +16")


def test_above_its_mark_the_oldest_lines_go_down_to_half_behind_an_index_line() -> None:
    ledger = Ledger(tuple(f"T{i} DD2026{i:04} {i}元" for i in range(1, 101)))
    size = METER.text(str(ledger))
    assert ledger.spilled(size * 2, METER.text) == ledger
    spilled = ledger.spilled(size * 0.9, METER.text)
    assert METER.text(str(spilled)) <= size * 0.45 + 30
    index, first = str(spilled).splitlines()[:2]
    assert (
        index
        == f"T1–T{line_turn(first) - 1}: {2 * (line_turn(first) - 1)} values, recall_history(number or turn)"
    )
    assert spilled.lines == ledger.lines[-len(spilled.lines) :]


def _one_each(text: str) -> float:
    return len(text.splitlines())


def test_spilling_twice_leaves_one_index_line_that_covers_both() -> None:
    once = Ledger(("T1 a", "T2 b", "T3 c")).spilled(2, _one_each)
    twice = once.appended(["T4 d", "T5 e"]).spilled(2, _one_each)
    assert str(twice) == "T1–T4: 4 values, recall_history(number or turn)\nT5 e"


def test_the_ledger_of_a_thread_is_append_only() -> None:
    log = Log.of([m for i in range(1, 6) for m in turn(i, answer=f"工单GD{i}000{i}")])
    one = trim_turns(WindowPlan(), log, 3, Budget(), METER)
    two = trim_turns(one, Log.of(log.messages, log.start(3), 3), 5, Budget(), METER)
    assert two.ledger.lines[: len(one.ledger.lines)] == one.ledger.lines == ("T1 GD10001", "T2 GD20002")
    assert two.ledger.lines[2:] == ("T3 GD30003", "T4 GD40004")


def test_a_refuted_turn_is_marked_in_the_ledger_once() -> None:
    marked = Ledger(("T1 500元", "T12 800元")).marked({1: "refuted"})
    assert marked.lines == ("T1[refuted] 500元", "T12 800元")
    assert marked.marked({1: "refuted"}) == marked
