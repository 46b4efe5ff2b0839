"""Counting the tokens of requests exactly, and what a prefix cache would serve of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import pairwise, takewhile
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.window.counts import text_counts
from nodes.window.estimator import Estimator
from nodes.window.tokens import content_text

ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def optional(name: str) -> Any:
    """Return a module of the evals extra, or nothing where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


@cache
def tokenizer(name: str = "o200k_base") -> tuple[str, Callable[[str], int]]:
    """Return a tokenizer's name and its counting function; the product's own estimate without the evals extra."""
    if bpe := optional("bpe_openai"):
        encoding = bpe.get_encoding(name)
        return name, lambda text: len(encoding.encode(text))
    return "estimated", lambda text: round(Estimator("gpt-4o").tokens(text_counts(text)))


@lru_cache(maxsize=65_536)
def tokens(text: str) -> int:
    """Return the tokens of a text, counted once."""
    return tokenizer()[1](text)


def wire(message: BaseMessage) -> str:
    """Return a message as it is sent to an OpenAI-compatible endpoint."""
    body: dict[str, Any] = {"role": ROLES[message.type], "content": content_text(message.content)}
    if isinstance(message, AIMessage) and message.tool_calls:
        body["tool_calls"] = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": json.dumps(call["args"], ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    if isinstance(message, ToolMessage):
        body["tool_call_id"] = message.tool_call_id
    return json.dumps(body, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Request:
    """One model call as it was sent: its messages on the wire, and what else the call before it cost."""

    parts: tuple[str, ...]
    tools: int
    extra_uncached: int = 0
    """Input tokens of summariser calls made before this call that no earlier request began with."""
    extra_cached: int = 0

    @property
    def size(self) -> int:
        """Tokens of the request, tools included."""
        return self.tools + sum(map(tokens, self.parts))


def request(messages: Sequence[BaseMessage], tools: Sequence[Mapping[str, Any]]) -> Request:
    """Return messages as a request."""
    return Request(tuple(map(wire, messages)), tool_tokens(tools))


def tool_tokens(tools: Sequence[Mapping[str, Any]]) -> int:
    """Return the tokens of tool schemas."""
    return sum(tokens(json.dumps(tool, ensure_ascii=False)) for tool in tools)


def shared(before: Request, after: Request) -> int:
    """Return the tokens that a request begins with in common with the one before, inside a message too."""
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(before.parts, after.parts, strict=False))))
    total = after.tools + sum(map(tokens, after.parts[:same]))
    if same < min(len(before.parts), len(after.parts)):
        pairs = zip(before.parts[same], after.parts[same], strict=False)
        common = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        total += tokens(after.parts[same][:common])
    return total


def cached(requests: Sequence[Request]) -> list[int]:
    """Return for each request the tokens that the one before it had sent already."""
    return [0, *(shared(one, other) for one, other in pairwise(requests))]
