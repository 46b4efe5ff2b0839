import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from nodes.window.log import Log
from nodes.window.notes import Note, halved, merge, notes_text, parse_notes, supported

LOG = Log.of(
    [
        HumanMessage("企业版想退款500元"),
        AIMessage("", tool_calls=[{"id": "c", "name": "f", "args": {}, "type": "tool_call"}]),
        ToolMessage("审批号 SP37643310, 2026-11-03", tool_call_id="c"),
        AIMessage("可以退,三天内到账 [kb-002#1]"),
        HumanMessage("还有1,500元的订单"),
        AIMessage("好的"),
        HumanMessage("新问题"),
    ]
)


def test_notes_are_read_line_by_line_under_their_headings() -> None:
    text = "## facts\n- T1 用户是企业版\n* T1,T2: 两单都要退\n### Open ##\n- T2 replaces T1 金额待确认\n## 其他\n随便"
    notes, malformed = parse_notes(text)
    assert notes == [
        Note("facts", (1,), "用户是企业版"),
        Note("facts", (1, 2), "两单都要退"),
        Note("open", (2, 1), "金额待确认"),
    ]
    assert malformed == 2


def test_a_line_without_heading_or_turn_or_too_long_is_malformed() -> None:
    assert parse_notes("- T1 早")[1] == 1
    assert parse_notes("## facts\n- 没有轮次")[1] == 1
    assert parse_notes("## facts\n- T1 " + "长" * 241)[1] == 1


@pytest.mark.parametrize(
    ("turns", "text", "accepted"),
    [
        ((1,), "退款500元,3天内到账,依据 kb-002#1", True),
        ((1,), "审批号SP37643310在r2,日期11月3日", True),
        ((1,), "用户不满意等待时间", True),
        ((2,), "订单1500元", True),
        ((1,), "退款1500元", False),
        ((1,), "退款50元", False),
        ((1,), "审批号SP3764331", False),
        ((1,), "结果在r9", False),
        ((1,), "五天内到账", False),
        ((1, 2), "共500元和1500元", True),
        ((9,), "没有这一轮", False),
        ((3,), "还没离开的一轮", False),
        ((2,), "见T1", True),
    ],
)
def test_every_value_must_occur_whole_in_the_named_turn(
    turns: tuple[int, ...], text: str, accepted: bool
) -> None:
    assert supported(Note("facts", turns, text), LOG, left=2) is accepted


def test_a_newer_statement_takes_the_older_out() -> None:
    old = [
        Note("facts", (3,), "可退500元"),
        Note("facts", (3,), "企业版"),
        Note("open", (4,), "退款到账时间"),
    ]
    new = [
        Note("refuted", (9, 3), "T3 的500元有误,应为800元"),
        Note("questions", (9, 4), "退款何时到账 → 已到账"),
    ]
    assert merge(old, new) == (Note("facts", (3,), "企业版"), *new)


def test_the_same_line_is_not_kept_twice() -> None:
    note = Note("facts", (1,), "企业版")
    assert merge([note], [note]) == (note,)


def test_above_their_size_notes_drop_to_half_oldest_first_and_refuted_last() -> None:
    notes = [
        Note("refuted", (1,), "错的" * 10),
        *(Note("facts", (i,), f"事实{i}" * 10) for i in range(1, 20)),
    ]
    left = halved(notes, 600)
    assert len(notes_text(left)) <= 300
    assert left[0].heading == "refuted"
    assert left[1:] == tuple(notes[-len(left) + 1 :])
    assert halved(notes, 10_000) == tuple(notes)
