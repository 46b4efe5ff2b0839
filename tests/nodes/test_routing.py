import pytest

from evals import jsonl
from nodes.routing import decide
from store.settings import PROJECT


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


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("快递什么时候到？另外能改成自提吗", "several questions"),
        ("月卡和年卡有什么区别", "a comparison"),
        ("List all rules about cabin luggage", "everything about a subject"),
        ("我现在是什么套餐", "the user's own account"),
        ("请帮我退款", "something to be done"),
    ],
)
def test_what_one_retrieval_cannot_answer_goes_to_the_agent(message: str, reason: str) -> None:
    decision = decide(message)
    assert (decision["route"], decision["reason"], decision["answerable"]) == ("agentic", reason, True)


def test_labelled_messages_go_their_way() -> None:
    rows = jsonl.rows(PROJECT / "evals" / "data" / "routing.jsonl")
    right = [decide(row["question"], bool(row.get("history")))["route"] == row["route"] for row in rows]
    assert sum(right) >= 0.93 * len(right)
    fixed = [decide(row["question"])["route"] for row in rows if row["route"] == "fixed"]
    assert fixed.count("agentic") <= 0.05 * len(fixed)
