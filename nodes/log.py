"""The log of a thread: every message as it happened, and the turns that it is made of."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    convert_to_messages,
)
from langgraph.graph.message import REMOVE_ALL_MESSAGES


def merge_messages(log: list[BaseMessage], writes: Sequence[Any]) -> list[BaseMessage]:
    """Fold writes into the log: a new id is appended, a known one replaces, a ``RemoveMessage`` removes.

    The reducer of a ``DeltaChannel``, which stores the writes alone and folds them again at every read. So
    it is deterministic, gives no ids of its own (LangGraph gives them before it stores), and folding
    twice equals folding once: ``merge(merge(log, a), b) == merge(log, a + b)``.

    Args:
        log: the messages so far.
        writes: what steps wrote, oldest first; each a message, a message-like (dict, tuple, text) or a list
            of them.
    """
    merged: dict[str, BaseMessage] = {_key(place, message): message for place, message in enumerate(log)}
    for place, message in enumerate(_flat(writes), start=len(log)):
        if not isinstance(message, RemoveMessage):
            merged[_key(place, message)] = message
        elif message.id == REMOVE_ALL_MESSAGES:
            merged.clear()
        else:
            merged.pop(str(message.id), None)
    return list(merged.values())


def current_turn(log: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the newest user message and everything after it; empty when no user has spoken."""
    for place in range(len(log) - 1, -1, -1):
        if isinstance(log[place], HumanMessage):
            return list(log[place:])
    return []


LOOK_BACK = 12
"""Messages of a dialogue that a follow-up may point back to."""


def dialogue(log: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return what user and assistant said to each other before the newest user message, calls left out.

    The newest `LOOK_BACK` messages of it, oldest first: what a turn costs does not grow with the thread.
    """
    earlier = islice(reversed(log), len(current_turn(log)), None)
    said = (m for m in earlier if isinstance(m, HumanMessage | AIMessage) and m.text.strip())
    newest: list[BaseMessage] = [*islice(said, LOOK_BACK)]
    return newest[::-1]


def used_ids(log: Sequence[BaseMessage]) -> set[str]:
    """Return the ids of all tool calls of a log, malformed ones as well."""
    calls = (call for m in log if isinstance(m, AIMessage) for call in (*m.tool_calls, *m.invalid_tool_calls))
    return {call["id"] or "" for call in calls}


def _flat(writes: Sequence[Any]) -> list[BaseMessage]:
    return convert_to_messages(
        [m for write in writes for m in (write if isinstance(write, list) else [write])]
    )


def _key(place: int, message: BaseMessage) -> str:
    return message.id or f"\0{place}"
