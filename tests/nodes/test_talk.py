import pytest

from nodes.talk import is_small_talk


@pytest.mark.parametrize(
    "message",
    [
        "谢谢",
        "谢谢你,上次的问题解决了",
        "你好，在吗",
        "你是机器人吗",
        "再见",
        "hi!",
        "great, thank you so much",
        "who are you",
    ],
)
def test_small_talk(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    [
        "谢谢，退款要多久",
        "你好，发票抬头写错了",
        "hello, how do I export data?",
        "怎么退款",
        "thanks, but E1043 again",
    ],
)
def test_a_question_behind_good_manners_is_no_small_talk(message: str) -> None:
    assert not is_small_talk(message)
