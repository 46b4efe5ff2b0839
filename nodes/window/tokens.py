"""The first estimate of tokens: local, free, and good enough to decide before any usage was reported."""

import json
import re
from collections.abc import Mapping, Sequence

from langchain_core.messages import AIMessage, BaseMessage

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""One Han character: the unified ideographs, their extensions and the compatibility block."""

BLOCK_CHARS = 4_000
"""Characters of a content block that is no text: what is longer is data, such as an image, which takes about a
thousand tokens however many bytes it has."""

MESSAGE_OVERHEAD = 4
"""Tokens that a message takes for its role and delimiters, whatever it says."""


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text: one for each Han character, one for four others, plus one.

    Args:
        text: any text; the empty text counts one.
    """
    han = len(HAN.findall(text))
    return han + (len(text) - han) // 4 + 1


def message_tokens(message: BaseMessage) -> int:
    """Estimate the tokens of a message, its tool calls included.

    Args:
        message: any LangChain message.
    """
    return estimate_tokens(message_text(message)) + MESSAGE_OVERHEAD


def message_text(message: BaseMessage) -> str:
    """Return what a provider is sent of a message: its text, then its tool calls as compact JSON."""
    text = content_text(message.content)
    if not isinstance(message, AIMessage) or not (message.tool_calls or message.invalid_tool_calls):
        return text
    calls = [f"{call['name']}{compact_json(call['args'])}" for call in message.tool_calls]
    calls += [f"{call['name'] or ''}{call['args'] or ''}" for call in message.invalid_tool_calls]
    return "\n".join([text, *calls] if text else calls)


def content_text(content: str | Sequence[str | Mapping[str, object]]) -> str:
    """Return the text of a message's content, blocks that are not text as compact JSON."""
    if isinstance(content, str):
        return content
    return "\n".join(block if isinstance(block, str) else _block_text(block) for block in content)


def compact_json(value: object) -> str:
    """Return a value as JSON without spaces, Chinese characters as themselves."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _block_text(block: Mapping[str, object]) -> str:
    text = block.get("text")
    return text if isinstance(text, str) else compact_json(block)[:BLOCK_CHARS]
