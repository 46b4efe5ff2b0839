"""Hiding words that a user asked to be forgotten: in windows and in what replay returns, the log stays."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from nodes.window.tokens import content_text

REMOVED = "[已删除 removed]"


def redact(text: str, hidden: Sequence[str]) -> str:
    """Return a text without the hidden words."""
    for word in hidden:
        text = text.replace(word, REMOVED)
    return text


def redacted(message: BaseMessage, hidden: Sequence[str]) -> BaseMessage:
    """Return a message without the hidden words, in its text and in the arguments of its calls.

    Names and ids of calls stay as they are: a request with others would be refused.
    """
    text = content_text(message.content)
    changes: dict[str, object] = {} if redact(text, hidden) == text else {"content": redact(text, hidden)}
    if isinstance(message, AIMessage):
        for name in ("tool_calls", "invalid_tool_calls"):
            calls = [{**call, "args": _without(call["args"], hidden)} for call in getattr(message, name)]
            changes |= {} if calls == getattr(message, name) else {name: calls}
    return message.model_copy(update=changes) if changes else message


def _without(value: object, hidden: Sequence[str]) -> object:
    """Return a value of JSON without the hidden words, those that are keys or numbers in it included."""
    match value:
        case dict():
            return {redact(key, hidden): _without(part, hidden) for key, part in value.items()}
        case list():
            return [_without(part, hidden) for part in value]
        case str():
            return redact(value, hidden)
        case None | bool():
            return value
    plain = str(value)
    return value if redact(plain, hidden) == plain else redact(plain, hidden)
