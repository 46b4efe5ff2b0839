"""Handing a conversation over: a ticket for the person, a sentence for the user."""

from collections.abc import Sequence
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.citations import cited_ids
from nodes.direct import NOTHING_FOUND, say
from nodes.identity import asker, thread_of
from nodes.log import current_turn
from nodes.passages import passages_in
from nodes.phrases import HANDED_OVER
from nodes.state import Context, Decision, State
from nodes.tools.hand_over import HAND_OVER_TOOL
from store.resources import resources
from store.threads import Owner
from store.tickets import Draft, Reason, Tried, open_ticket

_TURNS = 3
"""Turns that a ticket tells of: the newest, and those that led to it."""
_SUMMARY_CHARS = 1000


async def hand_over(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Open a ticket and say so; from now on the thread is a person's until the ticket is closed."""
    drafted = draft(state, asker(state, runtime), thread_of(runtime))
    number = await open_ticket((await resources()).pool, drafted)
    said = {lang: text.format(ticket=number) for lang, text in HANDED_OVER.items()}
    update: dict[str, object] = {"messages": [say(state, said)], "ticket": number}
    if drafted.reason == "asked for a person":
        return {**update, "decision": not_routed("asked for a person")}
    return {**update, "review": NOTHING_FOUND}


def not_routed(reason: str) -> Decision:
    """Return the decision of a turn that goes to a person."""
    return Decision(route="direct", reason=reason, question="", confidence=None, answerable=False)


def draft(state: State, who: Owner, thread: str) -> Draft:
    """Return what a person needs to know, read from the newest turns.

    Args:
        state: the thread.
        who: whose it is.
        thread: its id; empty where nothing is kept.
    """
    log = state["messages"]
    turn, recent = current_turn(log), recent_turns(log)
    key = str(turn[0].id)
    calls = [call for m in turn if isinstance(m, AIMessage) for call in m.tool_calls]
    told = [str(call["args"].get("summary", "")) for call in calls if call["name"] == HAND_OVER_TOOL]
    reason: Reason = (
        "the agent decided" if told else "too many steps" if state.get("steps") else "asked for a person"
    )
    asked = " / ".join(m.text for m in recent if isinstance(m, HumanMessage))
    return Draft(
        key=key,
        thread_id=UUID(thread) if thread else uuid5(NAMESPACE_OID, key),
        tenant=who.tenant,
        user_id=who.user_id,
        reason=reason,
        summary=next((text for text in told if text), asked)[-_SUMMARY_CHARS:],
        tried=tried(recent),
        evidence=list(
            dict.fromkeys(i for m in recent if isinstance(m, AIMessage) for i in cited_ids(m.text))
        ),
        open_questions=open_questions(state),
    )


def recent_turns(log: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return the newest turns."""
    begins = [place for place, message in enumerate(log) if isinstance(message, HumanMessage)]
    return log[begins[-_TURNS:][0] :]


def tried(recent: Sequence[BaseMessage]) -> list[Tried]:
    """Return the tool calls of some turns with what each found."""
    results = {m.tool_call_id: m for m in recent if isinstance(m, ToolMessage)}
    return [
        Tried(tool=call["name"], args=call["args"], found=_found(results.get(str(call["id"]))))
        for message in recent
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["name"] != HAND_OVER_TOOL
    ]


def _found(result: ToolMessage | None) -> list[str]:
    if result is None:
        return ["no result"]
    return list(passages_in([result])) or [result.status]


def open_questions(state: State) -> list[str]:
    """Return the questions that the newest answer left open, or that none was given to."""
    review, decision = state.get("review"), state.get("decision")
    if not review or not decision or not decision["question"]:
        return []
    return review["open"] or ([] if review["answered"] else [decision["question"]])
