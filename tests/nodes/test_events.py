from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from nodes.events import events_of
from nodes.passages import search_messages
from nodes.state import Decision, Review, State
from store.search import Passage

QUESTION = HumanMessage("年付能退吗", id="q")
FOUND = search_messages(
    "年付能退吗",
    [Passage("kb-002#1", "kb-002", "退款政策", "退款政策 > 年付套餐", "年付可以退。", 1.0, 0.9)],
    turn="q",
    ms=12,
)
REVIEW = Review(sentences=1, supported=1, repaired=0, dropped=0, open=[], answered=True)


def _events(log: list[Any], **update: Any) -> list[dict[str, Any]]:
    return list(events_of(State(messages=log), update))


def test_a_decision_is_told_with_its_reason_and_confidence() -> None:
    decision = Decision(route="fixed", reason="a question", question="q", confidence=0.8, answerable=True)
    assert _events([QUESTION], decision=decision) == [{"type": "route", **decision}]


def test_a_search_is_told_as_call_result_and_the_passages_that_it_found() -> None:
    call, result, found = _events([QUESTION], messages=FOUND)
    assert (call["type"], call["tool"], call["args"]) == ("tool_call", "search_kb", {"query": "年付能退吗"})
    assert (result["type"], result["id"], result["status"], result["ms"]) == (
        "tool_result", call["id"], "success", 12,
    )  # fmt: skip
    assert found["passages"] == [{"id": "kb-002#1", "title": "退款政策", "section": "退款政策 > 年付套餐"}]


def test_a_result_that_answers_a_call_of_an_earlier_step_has_its_name() -> None:
    call, result = FOUND
    events = _events([QUESTION, call], messages=[result])
    assert [event["type"] for event in events] == ["tool_result", "retrieval"]
    assert events[0]["tool"] == "search_kb"


def test_a_failed_tool_is_told_as_one_and_brings_no_passages() -> None:
    call = FOUND[0]
    failed = ToolMessage("out of reach", tool_call_id="?", status="error", name="search_kb")
    failed.tool_call_id = call.tool_calls[0]["id"]  # type: ignore[attr-defined]  # an AIMessage
    assert [e.get("status") for e in _events([QUESTION, call], messages=[failed])] == ["error"]


def test_an_answer_that_stands_is_told_by_its_sources_alone() -> None:
    said = AIMessage("年付可以退。[kb-002#1]", id="a")
    (event,) = _events([QUESTION, *FOUND, said], review=REVIEW)
    assert event["type"] == "citations"
    assert [cited["id"] for cited in event["citations"]] == ["kb-002#1"]
    assert event["review"] == REVIEW


def test_an_answer_that_the_check_changed_is_told_in_full() -> None:
    said = AIMessage("年付可以退。手续费 45 元。[kb-404#1]", id="a")
    stands = AIMessage("年付可以退。[kb-002#1]", id="a")
    revised, cited = _events([QUESTION, *FOUND, said], review=REVIEW, messages=[stands])
    assert revised == {"type": "revised", "answer": stands.text}
    assert [c["text"] for c in cited["citations"]] == ["年付可以退。"]
