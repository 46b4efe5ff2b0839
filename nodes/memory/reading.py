"""What of a thread is to be read for memories: the user's new words, and what became of the turns."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import BaseMessage, HumanMessage

from nodes.memory.extraction import Said, redacted
from nodes.memory.outcomes import Turn, is_hand_over
from nodes.phrases import NOT_FOUND
from nodes.window import WindowPlan
from store.settings import Settings

WRITTEN_AT = "written_at"
"""Where a user message keeps when it was written, beside its content."""


def stamped(message: BaseMessage) -> BaseMessage:
    """Return a message that knows when it was written, for "yesterday" is read long after."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, WRITTEN_AT: now}})


def said_at(message: BaseMessage | None, settings: Settings) -> datetime:
    """Return when a message was written, in the users' zone; now, if it does not know."""
    zone = ZoneInfo(settings.timezone)
    written = message.additional_kwargs.get(WRITTEN_AT, "") if message else ""
    try:
        return datetime.fromisoformat(written).astimezone(zone)
    except (TypeError, ValueError):  # a client's own key of that name
        return datetime.now(zone)


def unread(log: Sequence[BaseMessage], before: Sequence[BaseMessage], settings: Settings) -> list[Said]:
    """Return the user's messages that were not there when the thread was read last, private values redacted."""
    seen = {message.id for message in before}
    asked = [m for m in log if isinstance(m, HumanMessage) and m.id not in seen]
    return redacted([Said(str(m.id), said_at(m, settings), m.text) for m in asked])


def turns_of(thread: str, log: Sequence[BaseMessage], settings: Settings) -> list[Turn]:
    """Return the turns of a thread, each with what became of it."""
    starts = [place for place, message in enumerate(log) if isinstance(message, HumanMessage)]
    turns = []
    for begin, end in pairwise([*starts, len(log)]):
        messages = log[begin:end]
        missing = any(message.text in NOT_FOUND.values() for message in messages[1:])
        turns.append(
            Turn(thread, messages, said_at(messages[0], settings), not missing, is_hand_over(messages))
        )
    return turns


def left(turns: Sequence[Turn], values: Mapping[str, Any], facts_to: int) -> tuple[list[Turn], int]:
    """Return the turns that left the window and were not searched for facts, and the number of the next one.

    Args:
        turns: all turns of the thread.
        values: the thread's state.
        facts_to: number of the first turn that was not searched; beyond the last one after the user was
            forgotten, so that nothing of what was said before is learned anew.
    """
    begin = min(facts_to, len(turns) + 1)
    end = max(begin, WindowPlan.from_dict(values.get("plan")).turn)
    return list(turns[begin - 1 : end - 1]), end
