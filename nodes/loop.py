"""When the loop of model and tools goes on, and when it has to be told something or ends."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.citations.claims import denies_coverage
from nodes.intents import means
from nodes.log import current_turn
from nodes.passages import SEARCH_TOOL, SUBSCRIPTION_TOOL, match_of

MAX_STEPS = 6
"""Model steps of one turn."""

MOST_AT_ONCE = 8
"""Calls of one step that run; a model that asks for more is told to ask again."""

_SEARCHES = 2
"""Rounds of search after which a question counts as not covered, if none of them found anything."""


def calls_tools(message: BaseMessage) -> bool:
    """Tell whether a message calls tools, well formed or not."""
    return isinstance(message, AIMessage) and bool(message.tool_calls or message.invalid_tool_calls)


def looked_up(log: Sequence[BaseMessage]) -> bool:
    """Tell whether a tool has answered in the newest turn, beside the one that tells the user's own subscription."""
    return any(
        isinstance(message, ToolMessage) and message.name != SUBSCRIPTION_TOOL
        for message in current_turn(log)
    )


def skipped_search(log: Sequence[BaseMessage], said: str = "") -> bool:
    """Tell whether a model ought to have looked something up, and did not.

    It ought to for a question about the product, and before it says that the help centre does not cover something.

    Args:
        log: the thread's, the newest question included.
        said: what the model answers.
    """
    if looked_up(log):
        return False
    return denies_coverage(said) or not means(current_turn(log)[0].text, "action", "person", "account")


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
