import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.lexical import normalize, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("年付套餐买错了能退款吗", "年付套餐買錯了能退款嗎"),
        ("年付套餐买错了", "年付 套餐　买错了"),
        ("VIP 会员", "ＶＩＰ会员"),
        ("how to refund", "ｈｏｗ ｔｏ ｒｅｆｕｎｄ"),
        ("Invoice", "INVOICE"),
        ("退款规则", "退\u200b款规则"),
        ("1,299 元", "1299元"),
        ("5GB", "5 GB"),
        ("the user's invoice", "the user invoice"),
    ],
)
def test_what_looks_different_and_means_the_same_has_the_same_terms(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize("code", ["E1043", "v1.2.3", "10:30", "2024-01-05"])
def test_a_code_is_one_term(code: str) -> None:
    assert terms(f"报错{code}怎么办") == [*terms("报错"), code.casefold(), *terms("怎么办")]


def test_a_compound_name_is_a_term_and_so_are_its_words() -> None:
    assert terms("login_banner 选项") == ["login_banner", "login", "banner", *terms("选项")]


def test_a_number_is_apart_from_its_unit() -> None:
    assert terms("30天") == ["30", "天"]


def test_long_chinese_words_are_found_by_the_words_in_them() -> None:
    assert {"信用", "信用卡"} <= set(terms("信用卡"))


def test_chinese_words_that_share_a_character_meet() -> None:
    assert terms("退款") == ["退款", "退", "款"]
    assert set(terms("退钱")) & set(terms("退款")) == {"退"}


def test_english_words_meet_in_every_number_and_tense() -> None:
    assert terms("refunds") == terms("refund") == terms("refunded") == terms("refunding")


def test_function_words_are_no_terms() -> None:
    assert terms("how do I get a refund") == ["get", "refund"]
    assert terms("我的呢") == []


def test_a_term_is_never_longer_than_an_index_takes() -> None:
    assert max(len(term) for term in terms("x" * 60_000)) <= 128


@given(st.text())
def test_any_text_has_terms_without_white_space(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(letter.isspace() for letter in term)


@given(st.text(alphabet=string.ascii_letters + string.digits + "退款年付元天 　", max_size=40))
def test_normalizing_twice_changes_nothing_more(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)
