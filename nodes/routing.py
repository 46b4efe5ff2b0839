"""Which way a message goes before anything is retrieved: the rules, all of them, in one place.

``direct`` needs no article, ``fixed`` is one retrieval and one call, ``agentic`` is a loop of model and tools. After
retrieval only one thing changes the way: no passage that is sure enough (`nodes.retrieve`).
"""

import re

from nodes.log import current_turn, dialogue
from nodes.memory.commands import memory_command
from nodes.memory.signals import only_wishes
from nodes.questions import split_questions
from nodes.requests import compares, concerns_own_account, wants_action, wants_everything
from nodes.state import Decision, RouteName, State
from nodes.talk import is_small_talk

_CONTENT = re.compile(r"[^\W\d_]")

SEVERAL = "several questions"
"""Why a turn is the agent's whose questions, and nothing else, have to be looked up each."""

_AGENTIC = (
    (compares, "a comparison"),
    (wants_everything, "everything about a subject"),
    (concerns_own_account, "the user's own account"),
    (wants_action, "something to be done"),
    (lambda message: len(split_questions(message)) > 1, SEVERAL),
)
"""What one retrieval cannot answer, by what the message is; the first that holds is the reason."""


async def route(state: State) -> dict[str, object]:
    """Decide the way of the turn before anything is retrieved."""
    return {"decision": decide(current_turn(state["messages"])[0].text, bool(dialogue(state["messages"])))}


def decide(message: str, has_history: bool = False) -> Decision:
    """Decide how a message is answered from what it is.

    Args:
        message: the newest user message.
        has_history: whether something was said before it.
    """
    if not _CONTENT.search(message):
        return _decision("direct", "no words")
    if is_small_talk(message):
        return _decision("direct", "small talk", answerable=True)
    if only_wishes(message):
        return _decision("direct", "a wish", answerable=True)
    if memory_command(message):
        return _decision("direct", "about the memory", answerable=True)
    for holds, reason in _AGENTIC:
        if holds(message):
            return _decision("agentic", reason, message, answerable=True)
    return _decision("fixed", "a question in a conversation" if has_history else "a question", message)


def _decision(route: RouteName, reason: str, question: str = "", *, answerable: bool = False) -> Decision:
    return Decision(route=route, reason=reason, question=question, confidence=None, answerable=answerable)
