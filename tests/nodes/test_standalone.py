from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import jsonl
from nodes.followups import needs_history
from nodes.phrases import NOT_FOUND
from nodes.standalone import complete
from nodes.words import words
from store.settings import PROJECT

ROWS = jsonl.rows(PROJECT / "evals" / "data" / "followups.jsonl")
REFUND = [("user", "年付套餐买错了能退款吗"), ("assistant", "年付套餐可以退款。[kb-002#1]")]


def _rows(kind: str, split: str) -> list[dict[str, Any]]:
    return [row for row in ROWS if row["kind"] == kind and row["split"] == split]


def _completed(row: dict[str, Any]) -> str:
    return complete(row["question"], [(role, text) for role, text in row["history"]]).text


def _names(text: str, needed: list[str]) -> bool:
    return all(any(word in text.lower() for word in either.lower().split("|")) for either in needed)


@pytest.mark.parametrize(("split", "least"), [("dev", 0.85), ("test", 0.70)])
def test_follow_ups_name_their_topic(split: str, least: float) -> None:
    rows = _rows("followup", split)
    assert sum(_names(_completed(row), row["must_contain"]) for row in rows) / len(rows) >= least


@pytest.mark.parametrize("split", ["dev", "test"])
def test_questions_that_stand_alone_are_not_touched(split: str) -> None:
    rows = _rows("single", split)
    assert sum(_completed(row) != row["question"] for row in rows) / len(rows) <= 0.05


def test_an_elliptic_question_takes_the_place_of_what_it_contrasts_with() -> None:
    assert complete("那月付的呢", REFUND).text == "月付套餐买错了能退款吗"


def test_a_chain_of_follow_ups_is_followed_back() -> None:
    history = [*REFUND, ("user", "那月付的呢"), ("assistant", "月付套餐中途不能退款。")]
    assert "月付" in complete("多久到账", history).text


def test_small_talk_is_no_follow_up_and_gives_no_topic() -> None:
    assert needs_history("谢谢") == ""
    history = [*REFUND, ("user", "谢谢"), ("assistant", "不客气！")]
    assert "退款" in complete("要多久", history).text


def test_a_refusal_gives_no_topic() -> None:
    asked = "How much storage do I get on the professional plan?"
    completed = complete("what happens when it is full?", [("user", asked), ("assistant", NOT_FOUND["en"])])
    assert "storage" in completed.text
    assert not {"help", "centre", "guess", "person"} & {*words(completed.text)}


def test_a_pleasantry_between_gives_no_topic() -> None:
    history = [*REFUND, ("user", "谢谢"), ("assistant", "不客气！还有问题随时问我。")]
    assert "随时" not in complete("要多久", history).text


def test_without_a_history_nothing_changes() -> None:
    assert complete("那月付的呢", []).text == "那月付的呢"


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=60)), max_size=6),
)
def test_any_conversation_keeps_the_question_or_says_why(
    question: str, history: list[tuple[str, str]]
) -> None:
    done = complete(question, history)
    assert done.text == question or done.reason != "stands alone"


def test_what_the_answer_named_belongs_to_the_topic() -> None:
    history = [
        ("user", "怎么让助手帮我记账"),
        ("assistant", "帮助中心是这样写的：\n- 先开启 MCP 服务器。 [kb-1#2]"),
    ]
    completed = complete("令牌在哪弄", history).text
    assert "mcp" in completed
    assert "kb-1" not in completed


def test_in_chinese_the_new_term_stands_where_the_old_one_was() -> None:
    history = [("user", "怎么从微信导出账单"), ("assistant", "点「下载账单」。")]
    assert complete("那京东的呢", history).text == "怎么从京东导出账单"
