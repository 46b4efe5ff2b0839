import pytest

from evals.intent_fit import examples
from nodes.intents import INTENTS, Intent, intents, means


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("谢谢你,上次的问题解决了", "smalltalk"),
        ("你好，在吗", "smalltalk"),
        ("great, thank you so much", "smalltalk"),
        ("who are you", "smalltalk"),
        ("以后请用英文回复我", "wish"),
        ("你都记得我什么", "memory"),
        ("怎么退款", "question"),
        ("谢谢，退款要多久", "question"),
        ("hello, how do I export data?", "question"),
        ("月卡和年卡有什么区别", "comparison"),
        ("List all rules about cabin luggage", "everything"),
        ("我现在是什么套餐", "account"),
        ("请帮我退款", "action"),
        ("Can I talk to a human?", "person"),
    ],
)
def test_a_message_is_told_by_its_meaning(message: str, intent: Intent) -> None:
    assert means(message, intent)


def test_the_chances_of_the_intents_add_up_to_one() -> None:
    assert sum(intents("退款").values()) == pytest.approx(1)


def test_the_end_of_a_long_message_does_not_matter_nor_cost() -> None:
    assert intents("退款 " * 200) == intents("退款 " * 20_000)


def test_every_intent_has_examples_in_both_languages_and_none_twice() -> None:
    texts, labels = examples()
    assert {INTENTS[label] for label in labels} == set(INTENTS)
    for place, _ in enumerate(INTENTS):
        of_one = [text for text, label in zip(texts, labels, strict=True) if label == place]
        assert sum(text.isascii() for text in of_one) > 40 < sum(not text.isascii() for text in of_one)
