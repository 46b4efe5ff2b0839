from nodes.offline.answer import Finding, word
from nodes.offline.request import Source
from nodes.offline.units import units


def _word(text: str) -> str:
    return word([Finding("q", units(Source("a#1", "", text), 0))], "zh")


def test_sentences_of_one_paragraph_are_one_quote_with_one_source() -> None:
    assert _word("年付可以退款。月付不能。\n\n只有所有者能申请。").splitlines()[1:] == [
        "- 年付可以退款。月付不能。 [a#1]",
        "- 只有所有者能申请。 [a#1]",
    ]
    assert "「Yearly plans are refunded. Monthly ones are not.」 [a#1]" in _word(
        "Yearly plans are refunded. Monthly ones are not."
    )


def test_items_and_steps_are_quoted_one_by_one() -> None:
    assert _word("1. 打开账单。\n2. 点击退款。").splitlines()[1:] == [
        "1. 打开账单。 [a#1]",
        "2. 点击退款。 [a#1]",
    ]


def test_a_sentence_that_stood_elsewhere_in_the_paragraph_is_not_put_next_to_another() -> None:
    first, _, third = units(Source("a#1", "", "年付可以退款。月付不能。只有所有者能申请。"), 0)
    assert word([Finding("q", (first, third))], "zh").splitlines()[1:] == [
        "- 年付可以退款。 [a#1]",
        "- 只有所有者能申请。 [a#1]",
    ]
