from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable
from syrupy.assertion import SnapshotAssertion

from nodes.current import current_zone
from nodes.offline import OfflineChatModel
from nodes.rewrite import rewrite, rewrite_messages

HISTORY: list[BaseMessage] = [
    HumanMessage(f"{current_zone(['Today is Monday.'])}\n\nHow do I export my data?"),
    AIMessage("Go to Settings and press Export. [kb-014#1]"),
]


class Scripted(GenericFakeChatModel):
    """A live model that answers a structured request with a scripted tool call."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)


def _scripted(answer: str) -> Scripted:
    call = {"name": "StandaloneQuestion", "args": {"question": answer}, "id": "c1"}
    return Scripted(messages=iter([AIMessage("", tool_calls=[call])]))


async def test_a_follow_up_is_completed_offline() -> None:
    done = await rewrite("is it free?", HISTORY, OfflineChatModel())
    assert done.changed
    assert "export" in done.text
    assert "Monday" not in done.text


async def test_a_standalone_question_is_left_alone() -> None:
    done = await rewrite("How do I change my VAT number?", HISTORY, OfflineChatModel())
    assert (done.text, done.changed) == ("How do I change my VAT number?", False)


async def test_the_first_message_costs_no_call() -> None:
    done = await rewrite("is it free?", [], Scripted(messages=iter([])))
    assert (done.text, done.changed) == ("is it free?", False)


async def test_a_live_models_question_is_taken() -> None:
    done = await rewrite("is it free?", HISTORY, _scripted("Is exporting data free?"))
    assert (done.text, done.changed) == ("Is exporting data free?", True)


async def test_an_empty_answer_falls_back_to_the_rules() -> None:
    done = await rewrite("is it free?", HISTORY, _scripted(" "))
    assert "export" in done.text
    assert done.reason.startswith("rules")


def test_the_prompt(snapshot: SnapshotAssertion) -> None:
    assert [(m.type, m.text) for m in rewrite_messages("is it free?", HISTORY)] == snapshot
