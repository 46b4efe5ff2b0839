import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from nodes.window.trim import trim_history
from tests.nodes.window.build import group, turn

SIZES = {"system": 10, "1": 15, "2": 20, "3": 25}


def _sized(message: BaseMessage) -> int:
    return 10 if isinstance(message, SystemMessage) else SIZES[str(message.content)]


SIZED = [
    SystemMessage("system"),
    *[m for turn in "123" for m in (HumanMessage(turn), AIMessage(turn))],
]


@pytest.mark.parametrize(("budget", "kept"), [(130, "112233"), (110, "2233"), (50, "33"), (1, "33")])
def test_the_newest_turns_that_fit_stay_and_the_newest_always(budget: int, kept: str) -> None:
    trimmed = trim_history(SIZED, budget, count=_sized)
    assert trimmed[0] == SIZED[0]
    assert "".join(str(m.content) for m in trimmed[1:]) == kept


def test_a_long_conversation_is_cut_at_turns() -> None:
    log: list[BaseMessage] = [SystemMessage("你是客服" * 10)]
    for i in range(1, 9):
        log += [HumanMessage(f"第 {i} 个问题" + "啊" * 50), AIMessage(f"第 {i} 个回答" + "嗯" * 100)]
    trimmed = trim_history(log, 600)
    assert len(log) == 17
    assert len(trimmed) == 7
    assert [type(m) for m in trimmed[:2]] == [SystemMessage, HumanMessage]


def test_a_log_that_does_not_start_with_a_user_message_loses_its_opening_first() -> None:
    log = [AIMessage("您好,我是小帆" * 20), *turn(1), *turn(2)]
    assert trim_history(log, 10_000) == log
    assert trim_history(log, 60) == log[1:]


def test_parallel_calls_stay_with_their_results() -> None:
    log = [*turn(1, ["长" * 300]), HumanMessage("比较"), *group(7, "结果" * 50, width=3)]
    trimmed = trim_history(log, 100)
    assert trimmed == log[-5:]
