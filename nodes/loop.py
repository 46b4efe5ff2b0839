"""When the loop of model and tools goes on, and when it has to be told something or ends."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.intents import means
from nodes.log import current_turn
from nodes.passages import SEARCH_TOOL, match_of

MAX_STEPS = 6
"""Model steps of one turn."""

_SEARCHES = 2
"""Rounds of search after which a question counts as not covered, if none of them found anything."""


def calls_tools(message: BaseMessage) -> bool:
    """Tell whether a message calls tools, well formed or not."""
    return isinstance(message, AIMessage) and bool(message.tool_calls or message.invalid_tool_calls)


def skipped_search(log: Sequence[BaseMessage]) -> bool:
    """Tell whether nothing was looked up yet for a question about the product; what is to be done is none.

    Args:
        log: the thread's, the newest question included.
    """
    turn = current_turn(log)
    if any(isinstance(message, ToolMessage) for message in turn):
        return False
    question = turn[0].text
    return not means(question, "action", "person", "account")


def fruitless(log: Sequence[BaseMessage]) -> bool:
    """Tell whether a turn has searched twice and found nothing, and nothing else came of its other tools.

    Args:
        log: the thread's.
    """
    turn = current_turn(log)
    results = [m for m in turn if isinstance(m, ToolMessage) and m.status != "error"]
    searches = [m for m in results if m.name == SEARCH_TOOL]
    if len(searches) < len(results):
        return False
    asked_by = {call["id"]: m.id for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
    rounds = {asked_by.get(m.tool_call_id) for m in searches}
    return len(rounds) >= _SEARCHES and all(
        match_of((m.artifact or {}).get("confidence", 1.0)) == "poor" for m in searches
    )
