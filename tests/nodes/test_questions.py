import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals import jsonl
from nodes.questions import MOST, asks, split_questions
from store.settings import PROJECT

ROWS = jsonl.rows(PROJECT / "evals" / "data" / "questions.jsonl")


def _share_split(kind: str, split: str) -> float:
    rows = [row for row in ROWS if row["kind"] == kind and row["split"] == split]
    return sum(len(split_questions(row["question"])) > 1 for row in rows) / len(rows)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_double_questions_are_seen(split: str) -> None:
    assert _share_split("multi", split) >= 0.90


@pytest.mark.parametrize("split", ["dev", "test"])
def test_single_questions_stay_whole(split: str) -> None:
    assert _share_split("single", split) <= 0.05


def test_parts_keep_the_users_words_without_the_linking_ones() -> None:
    assert split_questions("怎么退款？另外请问发票怎么开") == ["怎么退款？", "发票怎么开"]
    assert split_questions("How do I cancel, and also where are my invoices?") == [
        "How do I cancel",
        "where are my invoices?",
    ]


def test_numbered_questions_are_split_at_their_numbers() -> None:
    assert split_questions("1. 怎么升级 2. 怎么降级") == ["怎么升级", "怎么降级"]


def test_a_fact_about_the_user_belongs_to_the_question() -> None:
    message = "我用的是专业版，而且是年付，能退款吗"
    assert split_questions(message) == [message]


def test_a_wish_asks() -> None:
    assert asks("我想退款")
    assert not asks("今天天气真不错")


@given(st.text(max_size=200))
def test_every_message_has_at_least_one_part_and_invents_nothing(message: str) -> None:
    parts = split_questions(message)
    assert parts
    assert all(part in message for part in parts)


def test_a_question_counts_once_and_the_first_of_many_count() -> None:
    assert split_questions("年付能退吗？" * 3000) == ["年付能退吗？"]
    many = [f"第{n}个账本怎么导出？" for n in range(1, 100)]
    assert split_questions("".join(many)) == many[:MOST]


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        ("会员能加几个人？ 卡用了三个月不想用了，能退多少？", ["会员能加几个人？", "卡用了三个月不想用了，能退多少？"]),
        ("Can I add people? I used it for a month, how much do I get back?",
         ["Can I add people?", "I used it for a month, how much do I get back?"]),
        ("怎么导出？我用的是旧版。", ["怎么导出？我用的是旧版。"]),
    ],
)  # fmt: skip
def test_what_a_sentence_tells_belongs_to_what_it_asks(message: str, questions: list[str]) -> None:
    assert split_questions(message) == questions


def test_numbers_with_nothing_behind_them_are_one_message() -> None:
    assert split_questions("1.\n2.\n") == ["1.\n2."]
