"""Clearing: replace the content of old tool results by one line that names where the text still is."""

from collections.abc import Collection, Sequence

from langchain_core.messages import BaseMessage, ToolMessage

from nodes.window.log import Log, handle
from nodes.window.tokens import content_text

REPLAY_TOOLS = frozenset({"recall_history", "read_result"})
"""Tools whose results repeat what the log holds: capped by a budget of their own, and never searched again."""


def clear_old_tool_results(
    messages: Sequence[BaseMessage],
    *,
    keep_recent: int = 2,
    min_chars: int = 200,
    keep_tools: Collection[str] = (),
) -> list[BaseMessage]:
    """Replace the content of old tool results by a stub; calls, ids and all other messages stay.

    The results of the newest turn stay too, for the model has not used them yet, unless it is the only turn
    or nothing is to be kept.

    Args:
        messages: the whole conversation.
        keep_recent: results that stay word for word, from the newest; 0 clears all.
        min_chars: results that are not longer stay.
        keep_tools: names of tools whose results always stay.
    """
    log = Log.of(messages)
    results = [p for p, message in enumerate(messages) if isinstance(message, ToolMessage)]
    old = set(results[: len(results) - keep_recent])
    if keep_recent and len(log.starts) > 1:
        old = {position for position in old if position < log.starts[-1]}
    return [
        cleared(message, stub(position))
        if position in old and clearable(message, min_chars, keep_tools)
        else message
        for position, message in enumerate(messages)
    ]


def clearable(message: BaseMessage, min_chars: int, keep_tools: Collection[str] = ()) -> bool:
    """Tell whether a message is a result that may be cleared: long, no error, and not of a tool marked keep."""
    return (
        isinstance(message, ToolMessage)
        and message.status != "error"
        and message.name not in keep_tools
        and len(content_text(message.content)) > min_chars
    )


def stub(position: int, identifiers: Sequence[str] = ()) -> str:
    """Return the line that stands for a cleared result: its handle, and the identifiers that only it gave."""
    return f"[已清除 cleared: {' '.join(['read_result', handle(position), *identifiers])}]"


def cleared(message: BaseMessage, content: str) -> BaseMessage:
    """Return a copy of a message with another content."""
    return message.model_copy(update={"content": content})
