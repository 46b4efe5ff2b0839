"""The current zone: what stands in front of the newest question, in the same user message."""

import re
from collections.abc import Sequence

_OPEN, _CLOSE = "<current>", "</current>"
_BLOCK = re.compile(rf"\s*{_OPEN}\n(?P<zone>.*?)\n{_CLOSE}\s*", re.DOTALL)


def current_zone(lines: Sequence[str]) -> str:
    """Return the zone (date, recalled memories, corrections) as it stands in front of a question.

    Args:
        lines: one fact a line; none gives an empty text.
    """
    if not lines:
        return ""
    # A memory cannot end the zone and pose as the question; the blank, for what is merely cut out may leave another end.
    zone = "\n".join(lines).replace(_CLOSE, "< /current>")
    return f"{_OPEN}\n{zone}\n{_CLOSE}"


def split_current(content: str) -> tuple[str, str]:
    """Split the text of a user message into its current zone and its question.

    Returns:
        The zone, empty when there is none, and the question.
    """
    match = _BLOCK.match(content)
    return (match["zone"], content[match.end() :]) if match else ("", content)
