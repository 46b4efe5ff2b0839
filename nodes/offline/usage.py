"""What a call to the offline model counts: tokens in and out, and the prefix that it has seen before."""

from collections import deque
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata

from nodes.window.tokens import MESSAGE_OVERHEAD, compact_json, estimate_tokens, message_text

_REMEMBERED = 8


class PrefixCache:
    """The newest requests of one model, so that a common prefix can be reported as a provider would."""

    def __init__(self) -> None:
        self._seen: deque[tuple[str, ...]] = deque(maxlen=_REMEMBERED)

    def read(self, request: tuple[str, ...]) -> int:
        """Return the tokens of the longest prefix that a remembered request shares, and remember this one."""
        shared = max((_common(request, seen) for seen in tuple(self._seen)), default=0)
        self._seen.append(request)
        return sum(_tokens(part) for part in request[:shared])


def request_parts(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return a request as the parts that a provider's prefix cache compares: tools, then messages."""
    return (*(compact_json(tool) for tool in tools), *(f"{m.type}\n{message_text(m)}" for m in messages))


def usage(parts: tuple[str, ...], answer: BaseMessage, cached: int) -> UsageMetadata:
    """Return the usage of a call.

    Args:
        parts: the request, see `request_parts`.
        answer: what came back.
        cached: tokens of the prefix that was seen before.
    """
    sent = sum(_tokens(part) for part in parts)
    received = estimate_tokens(message_text(answer)) + MESSAGE_OVERHEAD
    return UsageMetadata(
        input_tokens=sent,
        output_tokens=received,
        total_tokens=sent + received,
        input_token_details=InputTokenDetails(cache_read=cached),
    )


def _tokens(part: str) -> int:
    return estimate_tokens(part.partition("\n")[2] if "\n" in part else part) + MESSAGE_OVERHEAD


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
