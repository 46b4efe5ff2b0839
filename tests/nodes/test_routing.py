import pytest

from nodes.routing import decide


@pytest.mark.parametrize(
    "message",
    [
        "谢谢",
        "谢谢你,上次的问题解决了",
        "你好",
        "ok thanks!",
        "在吗？",
        "Great, thank you so much",
        "好的",
        "你是机器人吗",
    ],
)
def test_small_talk_goes_direct_and_is_answered(message: str) -> None:
    decision = decide(message)
    assert (decision["route"], decision["answerable"]) == ("direct", True)


@pytest.mark.parametrize("message", ["", " \n\t　", "😡😡😡", "1", "?!"])
def test_a_message_without_a_word_goes_direct_and_is_asked_back(message: str) -> None:
    decision = decide(message)
    assert (decision["route"], decision["answerable"]) == ("direct", False)


@pytest.mark.parametrize(
    "message",
    [
        "怎么退款",
        "好的，那怎么退款",
        "Thanks, how do I export?",
        "你好，发票抬头写错了",
        "E1043",
        "谢谢，退款呢",
    ],
)
def test_a_question_with_or_without_a_greeting_is_searched_for(message: str) -> None:
    assert decide(message)["route"] == "fixed"
