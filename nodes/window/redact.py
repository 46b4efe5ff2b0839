"""Hiding words that a user asked to be forgotten: in windows and in what replay returns, the log stays."""

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from nodes.window.tokens import compact_json, content_text

REMOVED = "[已删除 removed]"


def redact(text: str, hidden: Sequence[str]) -> str:
    """Return a text without the hidden words."""
    for word in hidden:
        text = text.replace(word, REMOVED)
    return text


def redacted(message: BaseMessage, hidden: Sequence[str]) -> BaseMessage:
    """Return a message without the hidden words, in its text and in the arguments of its calls."""
    text = content_text(message.content)
    changes: dict[str, object] = {} if redact(text, hidden) == text else {"content": redact(text, hidden)}
    if isinstance(message, AIMessage) and message.tool_calls:
        calls = compact_json(message.tool_calls)
        if redact(calls, hidden) != calls:
            changes["tool_calls"] = json.loads(redact(calls, [compact_json(word)[1:-1] for word in hidden]))
    return message.model_copy(update=changes) if changes else message
