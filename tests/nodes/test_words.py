from nodes.words import content_words, features
from store.lexical import stem


def test_codes_and_versions_are_one_word() -> None:
    assert content_words("报 E1043，版本 v2.3.1") == ["报", "e1043", "版本", "v2.3.1"]


def test_words_that_only_ask_are_left_out() -> None:
    assert content_words("How do I export the invoices?") == ["export", "invoic"]
    assert content_words("怎么退款呢") == ["退款"]


def test_forms_of_an_english_word_meet() -> None:
    assert stem("refunded") == stem("refunds") == stem("refund")
    assert stem("invoices") == stem("invoice")
    assert stem("planning") == stem("plans") == stem("plan")


def test_chinese_words_meet_whatever_the_segmentation() -> None:
    assert features("退款") <= features("退款金额怎么算")
