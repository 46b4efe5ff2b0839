import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citations import cited_ids, drop_unsupported, verify
from nodes.citations.markers import strip_citations

PASSAGES = {
    "kb-001#1": "套餐对比\n专业版最多可以建 5 个账本，最多可以有 3 名成员。",
    "kb-002#1": "退款政策 > 年付套餐\n年付套餐可以退款，退款金额按剩余的整月数折算。",
    "kb-002#2": "退款政策 > 月付套餐\n月付套餐中途不能退款。",
}


def test_a_supported_sentence_keeps_its_citation() -> None:
    verified = verify("年付套餐可以退款，金额按剩余的整月数折算[kb-002#1]。", PASSAGES)
    assert verified.text == "年付套餐可以退款，金额按剩余的整月数折算[kb-002#1]。"
    assert verified.counts == {
        "factual": 1,
        "supported": 1,
        "unsupported": 0,
        "uncited": 0,
        "recited": 0,
        "unknown_ids": 0,
    }


def test_an_uncited_sentence_gets_the_source_that_says_it() -> None:
    verified = verify("月付套餐中途不能退款。还有别的问题吗？", PASSAGES)
    assert verified.text == "月付套餐中途不能退款[kb-002#2]。还有别的问题吗？"
    assert verified.counts["recited"] == 1


def test_a_wrong_or_unknown_citation_is_replaced_by_the_right_one() -> None:
    verified = verify("专业版最多 5 个账本 [kb-002#1]。\n月付套餐中途不能退款[kb-404#1]。", PASSAGES)
    assert cited_ids(verified.text) == ["kb-001#1", "kb-002#2"]
    assert (verified.counts["recited"], verified.counts["unknown_ids"]) == (2, 1)


def test_each_stretch_is_checked_against_the_citation_behind_it() -> None:
    text = "专业版最多 5 个账本[kb-001#1]，年付套餐可以退款[kb-002#1]，按剩余的整月数折算。"
    assert verify(text, PASSAGES).text == text


def test_a_number_that_no_passage_has_fails() -> None:
    verified = verify("专业版最多 8 个账本[kb-001#1]。", PASSAGES)
    ((sentence, verdict),) = verified.failing
    assert (verdict.reason, verdict.detail) == ("number", "8")
    assert sentence.sources == ("kb-001#1",)


def test_what_reads_like_an_offer_keeps_a_citation_that_says_it() -> None:
    passage = {"a#1": "如果你需要升级，只需要下载新的文件替换旧的文件。"}
    said = "如果你需要升级，只需要下载新的文件替换旧的文件。[a#1]"
    assert verify(said, passage).text == said
    assert verify("如果您还有疑问，请告诉我。[a#1]", passage).text == "如果您还有疑问，请告诉我。"


def test_a_not_found_loses_its_citation() -> None:
    assert verify("帮助中心没有写到这一点 [kb-001#1]。", PASSAGES).text == "帮助中心没有写到这一点。"


def test_a_quotation_in_another_language_is_support() -> None:
    text = "This is what the help centre says:\n- 「月付套餐中途不能退款。」 [kb-002#2]"
    verified = verify(text, PASSAGES, question="Can I get a refund on a monthly plan?")
    assert (verified.text, verified.language) == (text, "en")
    assert not verified.failing


def test_repeating_the_question_is_no_claim() -> None:
    assert not verify("您的团队在海外。", PASSAGES, question="我的团队在海外，怎么办").failing


def test_an_answer_without_passages_has_no_support() -> None:
    verified = verify("可以用比特币支付。", {})
    assert verified.counts["unsupported"] == 1
    assert drop_unsupported(verified) == ""


@given(
    st.lists(
        st.sampled_from(
            [
                "年付套餐可以退款[kb-002#1]。",
                "可以用比特币[x#1]。",
                "您好！",
                "要点：\n",
                "- 月付 3 天\n",
                "[kb-001#1]",
                "\n\n",
            ]
        ),
        max_size=8,
    )
)
def test_checking_changes_nothing_but_citations(pieces: list[str]) -> None:
    answer = "".join(pieces)
    verified = verify(answer, PASSAGES)
    squeezed = ["".join(strip_citations(text).split()) for text in (verified.text, answer)]
    assert squeezed[0] == squeezed[1]
    assert set(cited_ids(verified.text)) <= set(PASSAGES)


RECORD = '{"plan": "企业版", "billing_cycle": "年付", "renews_on": "2027-06-15", "seats": 25}'


@pytest.mark.parametrize(
    ("sentence", "supported"),
    [
        ("您当前是企业版，年付，2027-06-15 到期，共 25 个席位。", True),
        ("Your plan renews on 2027-06-15.", True),
        ("您的订阅 2027-06-16 到期。", False),
        ("您有 26 个席位。", False),
    ],
)
def test_a_record_supports_what_an_answer_says_without_a_source(sentence: str, supported: bool) -> None:
    (checked,) = verify(sentence, {}, records=[RECORD]).sentences
    assert checked.fails is not supported
    assert checked.sources == ()


def test_a_record_supports_no_sentence_that_names_a_passage_as_its_source() -> None:
    answer = "月付套餐中途可以退款 [kb-404#1]。"
    assert verify(answer, {}, records=["月付套餐中途可以退款。"]).failing


@pytest.mark.parametrize(
    "sentence",
    ["退款已完成。", "我已经为您提交了退款申请。", "I've refunded your order.", "Your invoice was reissued."],
)
def test_no_article_says_that_something_was_done_for_the_user(sentence: str) -> None:
    article = {
        "kb-003#1": "退款完成后 7 个工作日到账。提交退款申请。Orders are refunded. An invoice is reissued."
    }
    assert verify(sentence, article).failing


def test_a_record_says_that_something_was_done_for_the_user() -> None:
    assert not verify("已为您提交退款申请。", {}, records=['{"result": "已提交退款申请"}']).failing


def test_a_condition_reports_nothing_as_done() -> None:
    article = {"kb-003#1": "退款审核完成后，7 个工作日到账。"}
    assert not verify("退款审核完成后，7 个工作日到账。", article).failing


def test_the_question_turned_into_a_statement_is_a_claim_and_asking_it_again_is_none() -> None:
    question = "你们支持比特币支付吗"
    (claimed,) = verify(
        "支持比特币支付。", {"kb-1#1": "付款方式\n可以用对公转账。"}, question=question
    ).sentences
    assert claimed.fails
    (asked,) = verify("您问的是比特币支付。", {}, question=question).sentences
    assert not asked.factual


REFUNDS = {
    "kb-2#1": "退款政策 > 年付套餐\n年付套餐可以退款，退款金额按剩余的整月数折算。",
    "kb-2#2": "退款政策 > 常见问题\n从月付转为年付之后，年付订单按剩余的整月数退款，之前的月付订单不能退款。",
}


@pytest.mark.parametrize("source", ["", "[kb-2#2]"])
def test_a_sentence_that_the_nearest_passage_denies_is_not_supported_by_another_ones_rule(
    source: str,
) -> None:
    (checked,) = verify(f"年付套餐不能退款{source}。", REFUNDS).sentences
    assert checked.verdict
    assert checked.verdict.reason == "negation"
    assert not verify("年付套餐可以退款[kb-2#1]。之前的月付订单不能退款[kb-2#2]。", REFUNDS).failing


@pytest.mark.parametrize("letter", ["x", "退"])
def test_a_sentence_longer_than_any_passage_is_unsupported_and_not_compared(letter: str) -> None:
    def similarity(one: str, other: str) -> float:
        pytest.fail(f"compared {len(one)} with {len(other)} characters")

    verified = verify(letter * 1_000_000, PASSAGES, similarity=similarity)
    assert (verified.counts["factual"], verified.counts["unsupported"]) == (1, 1)
