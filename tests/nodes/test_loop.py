import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.loop import fruitless, skipped_search


def search(confidence: float, step: int) -> list[BaseMessage]:
    call = {"name": "search_kb", "args": {"query": str(step)}, "id": f"c{step}"}
    return [
        AIMessage("", id=f"m{step}", tool_calls=[call]),
        ToolMessage("{}", name="search_kb", tool_call_id=f"c{step}", artifact={"confidence": confidence}),
    ]


def test_two_rounds_without_a_result_end_the_turn() -> None:
    log = [HumanMessage("q"), *search(0.1, 1)]
    assert not fruitless(log)
    assert fruitless([*log, *search(0.05, 2)])
    assert not fruitless([*log, *search(0.9, 2)])


def test_what_another_tool_found_keeps_the_turn_going() -> None:
    record = ToolMessage("{}", name="get_subscription", tool_call_id="c9")
    assert not fruitless([HumanMessage("q"), *search(0.1, 1), *search(0.1, 2), record])


@pytest.mark.parametrize(
    ("question", "skipped"), [("怎么退款", True), ("我现在是什么套餐", False), ("转人工", False)]
)
def test_only_a_question_about_the_product_has_to_be_looked_up(question: str, skipped: bool) -> None:
    assert skipped_search([HumanMessage(question)]) is skipped
    assert not skipped_search([HumanMessage(question), *search(0.9, 1)])


def test_nothing_is_said_not_to_be_covered_before_anything_was_looked_up() -> None:
    log = [HumanMessage("我要退款")]
    assert skipped_search(log, "帮助中心没有写到这个问题。")
    assert not skipped_search(log, "请问您要退哪一笔？")
