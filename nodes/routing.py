"""Which way a message goes before anything is retrieved: the rules, all of them, in one place.

``direct`` needs no article, ``fixed`` is one retrieval and one call, ``agentic`` is a loop of model and tools. After
retrieval only one thing changes the way: no passage that is sure enough (`nodes.retrieve`).
"""

import asyncio
import re
from collections.abc import Iterable

from nodes.followups import needs_history
from nodes.intents import Intent, intents, means
from nodes.log import current_turn, dialogue
from nodes.memory.commands import memory_command
from nodes.memory.languages import switches
from nodes.questions import split_questions
from nodes.state import Decision, RouteName, State

_CONTENT = re.compile(r"[^\W\d_]")

SEVERAL = "several questions"
"""Why a turn is the agent's whose questions, and nothing else, have to be looked up each."""

_DIRECT: dict[Intent, str] = {
    "smalltalk": "small talk",
    "wish": "a wish",
    "memory": "about the memory",
}
_AGENTIC: dict[Intent, str] = {
    "comparison": "a comparison",
    "everything": "everything about a subject",
    "account": "the user's own account",
    "action": "something to be done",
    "person": "something to be done",
}
"""What one retrieval cannot answer, by what the message is, with the reason."""


async def route(state: State) -> dict[str, object]:
    """Decide the way of the turn before anything is retrieved."""
    message, has_history = current_turn(state["messages"])[0].text, bool(dialogue(state["messages"]))
    return {"decision": await asyncio.to_thread(decide, message, has_history)}


def decide(message: str, has_history: bool = False) -> Decision:
    """Decide how a message is answered from what it is.

    Args:
        message: the newest user message.
        has_history: whether something was said before it.
    """
    if not _CONTENT.search(message):
        return _decision("direct", "no words")
    if memory_command(message) or switches(message):
        reason = _DIRECT["wish" if switches(message) else "memory"]
        return _decision("direct", reason, answerable=True)
    if means(message, *_DIRECT) and not (has_history and needs_history(message) == "ellipsis"):
        return _decision("direct", _DIRECT[_likeliest(message, _DIRECT)], answerable=True)
    parts = split_questions(message)
    for part in parts:
        if means(part, *_AGENTIC):
            return _decision("agentic", _AGENTIC[_likeliest(part, _AGENTIC)], message, answerable=True)
    if len(parts) > 1:
        return _decision("agentic", SEVERAL, message, answerable=True)
    return _decision("fixed", "a question in a conversation" if has_history else "a question", message)


def _likeliest(message: str, among: Iterable[Intent]) -> Intent:
    return max(among, key=intents(message).__getitem__)


def _decision(route: RouteName, reason: str, question: str = "", *, answerable: bool = False) -> Decision:
    return Decision(route=route, reason=reason, question=question, confidence=None, answerable=answerable)
