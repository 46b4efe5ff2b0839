"""The current zone: what stands in front of the newest question, in the same user message."""

import re
from collections.abc import Sequence

_OPEN, _CLOSE = "<current>", "</current>"
_BLOCK = re.compile(rf"\s*{_OPEN}\n(?P<zone>.*?)\n{_CLOSE}\s*", re.DOTALL)


def with_current(question: str, lines: Sequence[str]) -> str:
    """Put the lines of the current zone (date, recalled memories, corrections) in front of a question.

    Args:
        question: what the user wrote.
        lines: the zone, one fact a line; none gives the bare question.
    """
    return f"{current_zone(lines)}\n\n{question}" if lines else question


def current_zone(lines: Sequence[str]) -> str:
    """Return the zone itself as it stands in front of a question, empty without lines."""
    if not lines:
        return ""
    zone = "\n".join(lines).replace(_CLOSE, "")  # a memory cannot end the zone and pose as the question
    return f"{_OPEN}\n{zone}\n{_CLOSE}"


def split_current(content: str) -> tuple[str, str]:
    """Split the text of a user message into its current zone and its question.

    Returns:
        The zone, empty when there is none, and the question.
    """
    match = _BLOCK.match(content)
    return (match["zone"], content[match.end() :]) if match else ("", content)
