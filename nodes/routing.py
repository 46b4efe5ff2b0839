"""Which way a message goes before anything is retrieved: the rules, all of them, in one place."""

import re

from nodes.log import current_turn, dialogue
from nodes.memory.signals import only_wishes
from nodes.state import Decision, State
from nodes.talk import is_small_talk

_CONTENT = re.compile(r"[^\W\d_]")


async def route(state: State) -> dict[str, object]:
    """Decide the way of the turn before anything is retrieved."""
    return {"decision": decide(current_turn(state["messages"])[0].text, bool(dialogue(state["messages"])))}


def decide(message: str, has_history: bool = False) -> Decision:
    """Decide how a message is answered from what it is.

    ``direct`` is what no article could answer: small talk, wishes that hold from now on, and messages without a word, which are asked
    back. Everything else is ``fixed``: one retrieval and one call.

    Args:
        message: the newest user message.
        has_history: whether something was said before it.
    """
    if not _CONTENT.search(message):
        return Decision(route="direct", reason="no words", question="", confidence=None, answerable=False)
    if is_small_talk(message):
        return Decision(route="direct", reason="small talk", question="", confidence=None, answerable=True)
    if only_wishes(message):
        return Decision(route="direct", reason="a wish", question="", confidence=None, answerable=True)
    reason = "a question in a conversation" if has_history else "a question"
    return Decision(route="fixed", reason=reason, question=message, confidence=None, answerable=False)
