import pytest

from nodes.person import offers_person, wants_person
from nodes.phrases import NOT_FOUND, OPEN_POINT


@pytest.mark.parametrize(
    "message",
    [
        "转人工",
        "Can I talk to a human?",
        "退款一直没到，麻烦换个真人来处理",
        "This is useless. Get me an agent.",
    ],
)
def test_whoever_asks_for_a_person_wants_one(message: str) -> None:
    assert wants_person(message)


@pytest.mark.parametrize(
    "message",
    [
        "人工客服几点上班",
        "怎么转人工",
        "咋转人工",
        "啥时候能转人工",
        "不用转人工",
        "上次转人工等了很久",
        "把账单转给同事",
        "Are you a human?",
        "How do I reach an agent?",
        "Tell me whether I can talk to a human",
        "I don't want to talk to a person",
        "I talked to an agent yesterday",
        "Transfer my account to another person",
    ],
)
def test_questions_denials_and_reports_are_no_wish(message: str) -> None:
    assert not wants_person(message)


def test_a_yes_means_a_person_only_after_an_offer() -> None:
    for lang, yes, no in (("zh", "好的，谢谢", "不用了"), ("en", "Yes, please", "No thanks")):
        offer = NOT_FOUND["zh"] if lang == "zh" else NOT_FOUND["en"]
        assert wants_person(yes, offer)
        assert not wants_person(no, offer)
        assert not wants_person(yes, "退款三天到账。")
        assert not wants_person(yes)
        assert not wants_person("🎉🎉🎉", offer)


def test_an_offer_is_a_question_at_the_end_that_names_a_person() -> None:
    assert offers_person(f"专业版可以退款。[a#1]\n\n{OPEN_POINT['zh'].format(question='能开专票吗')}")
    assert not offers_person("如有疑问请联系人工客服。")
    assert not offers_person("人工客服的时间您知道吗？导出在设置里。")
