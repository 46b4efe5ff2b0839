import pytest
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.window.clear import clear_old_tool_results, stub
from tests.nodes.window.build import calls, group, turn

ONE_TURN = [
    SystemMessage("你是客服"),
    HumanMessage("问题"),
    *[m for i in range(4) for m in group(i, "果" * 809)],
]


def _contents(messages: list[BaseMessage]) -> list[str]:
    return [str(m.content) for m in messages if isinstance(m, ToolMessage)]


def _chars(messages: list[BaseMessage]) -> int:
    return sum(len(str(m.content)) for m in messages)


def test_four_results_with_two_kept_shrink_to_half() -> None:
    cleared = clear_old_tool_results(ONE_TURN)
    assert _chars(ONE_TURN) == 3242
    assert _chars(cleared) <= 1690
    assert _contents(cleared) == [stub(3), stub(5), "果" * 809, "果" * 809]


@pytest.mark.parametrize(("keep", "left"), [(0, 0), (1, 1), (3, 3), (4, 4), (9, 4)])
def test_the_newest_results_stay(keep: int, left: int) -> None:
    assert _contents(clear_old_tool_results(ONE_TURN, keep_recent=keep)).count("果" * 809) == left


def test_calls_ids_and_the_input_stay_as_they_were() -> None:
    before = [m.model_dump() for m in ONE_TURN]
    cleared = clear_old_tool_results(ONE_TURN, keep_recent=0)
    assert [m.model_dump() for m in ONE_TURN] == before
    assert [m.id for m in cleared] == [m.id for m in ONE_TURN]
    assert [m.model_dump(exclude={"content"}) for m in cleared] == [
        m.model_dump(exclude={"content"}) for m in ONE_TURN
    ]


def test_short_results_errors_and_tools_marked_keep_stay() -> None:
    log = [
        HumanMessage("问题"),
        calls("a", "b", "c"),
        ToolMessage("短", tool_call_id="c0"),
        ToolMessage("错" * 300, tool_call_id="c1", status="error"),
        ToolMessage("留" * 300, tool_call_id="c2", name="get_subscription"),
    ]
    assert clear_old_tool_results(log, keep_recent=0, keep_tools={"get_subscription"}) == log


def test_the_newest_turn_stays_whole() -> None:
    log = [*turn(1, ["旧" * 300]), HumanMessage("新"), *group(9, "新" * 300, width=3)]
    assert _contents(clear_old_tool_results(log)) == [stub(2), *["新" * 300] * 3]
