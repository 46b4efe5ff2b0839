import json

from langchain_core.messages import AIMessage, HumanMessage

from nodes.research import CHARS, concluded, encoded

TASK = "对比月卡和年卡"


def test_missing_points_are_named_apart_from_what_was_found() -> None:
    text = "- 月卡 30 元。 [a#1]\n未找到：押金\n未完成：转让"
    found = concluded(TASK, [HumanMessage(TASK), AIMessage(text)])
    assert json.loads(encoded(found)) == {
        "conclusion": "- 月卡 30 元。 [a#1]",
        "not_found": ["押金"],
        "unfinished": ["转让"],
    }


def test_a_conclusion_that_is_too_long_loses_whole_lines_and_says_so() -> None:
    lines = [f"- 第 {n} 点：" + "字" * 100 + f" [a#{n}]" for n in range(1, 6)]
    found = concluded(TASK, [HumanMessage(TASK), AIMessage("\n".join(lines))])
    assert len(found.text) <= CHARS
    assert found.text.splitlines() == lines[:3]
    assert len(found.unfinished) == 2


def test_a_task_that_ends_in_calls_or_in_nothing_is_unfinished() -> None:
    call = AIMessage("", tool_calls=[{"name": "search_kb", "args": {"query": "q"}, "id": "1"}])
    for last in (call, AIMessage(" ")):
        assert concluded(TASK, [HumanMessage(TASK), last]).unfinished == (TASK,)
