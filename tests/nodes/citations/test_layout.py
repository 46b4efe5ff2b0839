"""What a line of an answer says is checked with what it stands under: labels of lists, heads of tables."""

import pytest

from nodes.citations import drop_unsupported, repaired_prompt, split_sentences, verify
from nodes.citations.layout import placed

PASSAGES = {
    "gym#1": "会员卡 > 权益\n| 会员卡 | 每月来访 | 储物柜 |\n| --- | --- | --- |\n| 普通卡 | 8 次 | 不提供 |\n| 金卡 | 20 次 | 提供 |\n\n"
    "普通卡每月可以来访 8 次，不提供储物柜。金卡每月可以来访 20 次，提供储物柜。",
    "gym#2": "会员卡 > 带人\n普通卡不能带朋友。金卡带朋友的人数不限。",
}


def _kept(answer: str) -> str:
    return drop_unsupported(verify(answer, PASSAGES, question="两种会员卡有什么区别"))


def test_labels_reach_what_stands_under_them_and_no_further() -> None:
    answer = "## 卡\n1. **来访**：\n   - 普通卡：8 次\n2. 其他\n   - 带人\n\n**储物柜**\n- 金卡\n结束。\n"
    labels = {piece.text.strip(): piece.label for piece in placed(split_sentences(answer))}
    assert labels == {
        "## 卡": "",
        "1. **来访**：": "",
        "- 普通卡：8 次": "来访",
        "2. 其他": "",
        "- 带人": "",
        "**储物柜**": "",
        "- 金卡": "储物柜",
        "结束。": "储物柜",
    }


def test_items_of_a_list_in_bold_are_no_labels() -> None:
    pieces = [*placed(split_sentences("支持的卡：\n- **普通卡**\n- **钻石卡**\n"))]
    assert not any(piece.leads for piece in pieces)
    assert "钻石卡" not in _kept("普通卡不能带朋友[gym#2]。支持的卡：\n- **普通卡**\n- **钻石卡**\n")


@pytest.mark.parametrize(
    ("label", "value", "kept"),
    [
        ("来访", "普通卡：8 次 [gym#1]", True),
        ("来访", "金卡：20 次 [gym#1]", True),
        ("来访", "金卡：不限 [gym#2]", False),  # that is the number of friends
        ("储物柜", "普通卡：不提供 [gym#1]", True),
        ("储物柜", "金卡：不提供 [gym#1]", False),
        ("带朋友", "金卡：不限 [gym#2]", True),
    ],
)
@pytest.mark.parametrize("form", ["1. **{}**：\n   - {}\n", "**{}**\n- {}\n", "### {}\n- {}\n"])
def test_a_value_is_checked_for_what_it_is_the_value_of(
    form: str, label: str, value: str, kept: bool
) -> None:
    assert (value in _kept(form.format(label, value))) is kept


def test_a_label_in_front_is_no_statement_of_its_own() -> None:
    assert "普通卡：不能带朋友 [gym#2]" in _kept("普通卡：不能带朋友 [gym#2]\n")


def test_a_heading_gets_no_source_and_goes_with_what_it_led_to() -> None:
    answer = "**来访**\n金卡每月可以来访 20 次 [gym#1]。\n\n**折扣**\n金卡打八折 [gym#1]。\n"
    assert _kept(answer) == "**来访**\n金卡每月可以来访 20 次 [gym#1]。"


def test_cells_of_a_table_are_checked_for_their_row_and_column_and_its_head_stays_whole() -> None:
    head = "| 卡 | 每月来访 | 带朋友 |\n| --- | --- | --- |\n"
    right = "| 普通卡 | 8 次 [gym#1] | 不能 [gym#2] |\n"
    wrong = "| 金卡 | 不限 [gym#1] | 不限 [gym#2] |\n"
    verified = verify(f"{head}{right}{wrong}", PASSAGES, question="两种会员卡有什么区别")
    assert drop_unsupported(verified) == f"{head}{right}".strip()
    assert verified.counts["factual"] == 2
    assert "金卡" in repaired_prompt(verified)


def test_a_source_that_is_found_for_a_cell_is_named_inside_of_it() -> None:
    answer = "| 卡 | 每月来访 | 储物柜 |\n|---|---|---|\n| 金卡 | 20 次 | 提供 |\n"
    assert _kept(answer).endswith("| 金卡 | 20 次[gym#1] | 提供[gym#1] |")


def test_a_list_of_sources_leaves_no_label_behind() -> None:
    assert (
        _kept("金卡每月可以来访 20 次 [gym#1]。\n\n来源：[gym#1] [gym#2]\n")
        == "金卡每月可以来访 20 次 [gym#1]。"
    )


def test_a_model_is_told_which_passage_may_say_what_it_named_no_source_for() -> None:
    verified = verify("每个月普通卡大概能进来锻炼 8 次。", PASSAGES, question="普通卡能来几次")
    assert verified.failing
    assert "[gym#1]" in repaired_prompt(verified)


def test_a_citation_at_the_end_of_a_line_stands_for_the_sentences_in_front_of_it() -> None:
    answer = "- 金卡每月可以来访 20 次。金卡提供储物柜。 [gym#1]\n- 金卡带朋友的人数不限。 [gym#2]\n"
    verified = verify(answer, PASSAGES, question="金卡有什么权益")
    assert verified.text == answer
    assert [sentence.sources for sentence in verified.sentences] == [("gym#1",), ("gym#1",), ("gym#2",)]


def test_a_step_that_supposes_something_done_reports_nothing_as_done() -> None:
    passages = {"pay#1": "1. 点击「发送」\n2. 若上一步提交成功，会在新的页面提示申请已提交，然后点击「完成」"}
    answer = "2. 若上一步提交成功，会在新的页面提示申请已提交，然后点击「完成」 [pay#1]"
    assert not verify(answer, passages, question="怎么导出").failing


@pytest.mark.parametrize(
    "lead",
    ["金卡每月可以来访 99 次，包括：\n", "已为您退款，明细如下：\n", "**99 次来访**\n"],
)
def test_a_lead_in_that_states_a_figure_or_a_deed_is_a_claim(lead: str) -> None:
    answer = f"{lead}- 金卡每月可以来访 20 次 [gym#1]\n"
    assert lead.strip() not in _kept(answer)


def test_a_head_of_a_table_that_names_figures_stays_whole() -> None:
    head = "| 卡 | 2026 年每月来访 |\n| --- | --- |\n"
    assert verify(head, PASSAGES, question="来访").text == head
