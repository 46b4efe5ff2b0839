import pytest

from nodes.citations.claims import denies_coverage, introduces, makes_claim, reports_action, restates


@pytest.mark.parametrize(
    "sentence",
    [
        "您好！",
        "感谢您的咨询。",
        "帮助中心是这样写的：",
        "以下是三点说明：",
        "需要我为您转接人工客服吗？",
        "如果还有其他问题，请随时告诉我。",
        "帮助中心没有写到比特币支付。",
        "很抱歉，我在资料里没有找到这一点。",
        "## 退款",
        "Hello there!",
        "Here is what the help centre says:",
        "I'm sorry, but the help centre does not cover this.",
        "I could not find this in the documentation.",
        "Shall I pass you to a person?",
        "Let me know if you need anything else.",
        "I hope this helps!",
        "| --- | --- |",
        "[kb-001#1]",
    ],
)
def test_a_framing_sentence_claims_nothing(sentence: str) -> None:
    assert not makes_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "年付套餐可以退款。",
        "- 专业版最多 5 个账本",
        "根据帮助中心的说明，月付套餐中途不能退款。",
        "| 专业版 | 5 个 |",
        "请在 30 天内联系客服好吗？",
        "您好，退款在 7 个工作日内到账。",
        "According to the help centre, annual plans are refundable.",
        "Save the file as CSV UTF-8 and import it again.",
        'The help centre says: "Refunds take 7 days."',
        "您好，月付套餐也可以退款。",
        "很抱歉，年付套餐不能退款。",
        "很遗憾月付套餐不能退款。",
        "I'm afraid monthly plans are not refundable.",
        "Thanks for asking, annual plans are refunded in full.",
    ],
)
def test_a_sentence_with_a_fact_is_a_claim(sentence: str) -> None:
    assert makes_claim(sentence)


def test_a_number_that_the_question_brought_is_no_new_fact() -> None:
    assert not makes_claim("您想在 30 天内退款吗？", "30天内能退款吗")
    assert makes_claim("您想在 60 天内退款吗？", "30天内能退款吗")


def test_restating_brings_no_new_word() -> None:
    assert restates("您问的是年付套餐退款。", "年付套餐怎么退款，我问一下")
    assert not restates("年付套餐按整月退款。", "年付套餐怎么退款")


def test_lead_ins_and_headings_introduce() -> None:
    assert introduces("要点：\n")
    assert introduces("## 要点\n")
    assert not introduces("要点在此。")


@pytest.mark.parametrize(
    "sentence",
    [
        "感谢您的反馈，我们已经将文件转换为 UTF-8 格式。",
        "我已把发票重开。",
        "We have converted your file.",
        "已为您提交退款。",
        "好的，退款办好了。",
        "退款处理完了，请查收。",
        "工单 4711 已创建。",
        "Okay, cancelled.",
        "I just cancelled it.",
    ],
)
def test_what_is_said_to_have_been_done_is_a_report(sentence: str) -> None:
    assert reports_action(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "退款处理完成后，款项原路退回。",
        "已办理后，系统发邮件。",
        "已经办理的退款不能撤回。",
        "提交成功后，系统发邮件。",
        "处理好了之后再提交。",
        "如果订单取消了，额度恢复。",
        "您想取消了吗？",
        "Refunds are processed within 7 days.",
        "Unlimited.",
        "Supported.",
    ],
)
def test_what_an_article_says_of_a_deed_is_no_report(sentence: str) -> None:
    assert not reports_action(sentence)


def test_that_something_is_not_covered_is_told_from_that_it_does_not_work() -> None:
    assert denies_coverage("帮助中心没有写到这个问题。")
    assert not denies_coverage("月付套餐中途不能退款。")
