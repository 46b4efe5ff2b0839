import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.text import head, readable, searchable, sentences, width


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r", "\u2028", "\x85"])
def test_every_line_end_is_one(line_end: str) -> None:
    assert readable(f"a{line_end}b") == "a\nb"


def test_characters_that_nobody_sees_are_dropped() -> None:
    hidden = "\ufeff退\u200b款\u00ad规\x00则\u2060\u202e\u2066\U000e0041"
    assert readable(hidden) == "退款规则"


def test_emoji_keep_their_joiners_when_shown_but_not_when_searched() -> None:
    assert readable("👩\u200d🔧") == "👩\u200d🔧"
    assert searchable("维\u200d修❤\ufe0f") == "维修❤"


def test_search_folds_width_and_composition_but_not_chinese_punctuation() -> None:
    assert searchable("ＡＰＰ　１２３，ｅ\u0301？（①）") == "APP 123，é？（1）"


def test_a_chinese_letter_counts_as_two_and_a_half() -> None:
    assert (width("abcd"), width("退款"), width("退款 ab")) == (4, 5, 8)


def test_sentences_end_at_their_marks_and_not_inside_numbers() -> None:
    parts = ["费用 3.5 元。", "“真的？”", "是！！", "It is v1.2 now.", " Yes"]
    assert sentences("".join(parts)) == parts


@given(st.text())
def test_sentences_lose_nothing(text: str) -> None:
    assert "".join(sentences(text)) == text


@given(st.text())
def test_clean_up_is_done_once_and_for_all(text: str) -> None:
    assert readable(readable(text)) == readable(text)
    assert searchable(searchable(text)) == searchable(text)
    readable(text).encode()


@given(st.text(alphabet="a退 。", max_size=60), st.integers(0, 80))
def test_a_head_is_the_longest_beginning_that_is_not_too_wide(text: str, most: int) -> None:
    cut = head(text, most)
    assert text.startswith(cut)
    assert width(cut) <= most or cut == text
    assert cut == text or width(text[: len(cut) + 1]) >= most
