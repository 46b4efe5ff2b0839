import pytest
from syrupy.assertion import SnapshotAssertion

from nodes.citations import drop_unsupported, repaired_prompt, verify
from nodes.language import Language
from tests.nodes.citations.test_verify import PASSAGES

_ANSWER = "要点如下：\n- 专业版最多 8 个账本 [kb-001#1]\n- 可以用比特币支付\n\n关于退款：\n- 月付套餐中途不能退款 [kb-9#9]\n"


def test_sentences_that_fail_go_with_the_lead_in_that_introduced_them() -> None:
    assert drop_unsupported(verify(_ANSWER, PASSAGES)) == "关于退款：\n- 月付套餐中途不能退款 [kb-002#2]"


def test_nothing_is_left_when_no_sentence_is_supported() -> None:
    assert drop_unsupported(verify("您好！可以用比特币支付。", PASSAGES)) == ""


def test_an_answer_that_holds_stays_as_it_is() -> None:
    answer = "您好！月付套餐中途不能退款[kb-002#2]。还有别的问题吗？"
    verified = verify(answer, PASSAGES)
    assert drop_unsupported(verified) == answer
    assert repaired_prompt(verified) == ""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_model_is_told_what_fails_and_why(language: Language, snapshot: SnapshotAssertion) -> None:
    assert repaired_prompt(verify(_ANSWER, PASSAGES, language=language)) == snapshot
