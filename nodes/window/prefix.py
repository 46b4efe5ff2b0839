"""What two requests have in common from their start: what a provider's prefix cache can serve."""

from itertools import takewhile

from langchain_core.messages import BaseMessage

from nodes.window.counts import ZERO, Counts, lines_counts, message_counts, total
from nodes.window.render import Window
from nodes.window.tokens import content_text, message_text


def common_prefix(before: Window, after: Window) -> Counts:
    """Return the part of a request that the request before it began with too, tools included.

    Inside the first message that differs the common text counts as well: providers cache by tokens.
    """
    pairs = list(zip(before.messages, after.messages, strict=False))
    same = len(list(takewhile(lambda pair: _same(*pair), pairs)))
    parts = [message_counts(message) for message in after.messages[:same]]
    if same < len(pairs) and pairs[same][0].type == pairs[same][1].type:
        one, other = (content_text(message.content) for message in pairs[same])
        parts.append(lines_counts(one[: _shared(one, other)]))
    return total([after.tool_counts, ZERO._replace(requests=1), *parts])


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their start, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _same(one: BaseMessage, other: BaseMessage) -> bool:
    return one is other or (one.type == other.type and message_text(one) == message_text(other))
