"""What a comparison compares, and in which points: 「A、B、C 在 x、y、z 上的区别」."""

import re
from dataclasses import dataclass

from nodes.intents import means

WIDE = 3
"""Points from which a comparison is more reading than a conversation should hold."""

_LEAD = re.compile(
    r"^.*?(?:对比|比较|比一比|区分|\bcompar(?:e|ing|ison of)\b|\bdifferences? between\b|\bhow (?:do|does)\b)(?:一下|下)?\s*",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\s*(?:在(?=.)|就(?=.)|关于|的(?=.*[、，])|\b(?:in terms of|with regard to|with respect to|regarding|concerning|in|on|by|for)\b)\s*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:这?[几些\d]*(?:个?方面|点)?(?:上|中)?(?:都)?(?:有)?(?:什么|哪些|啥)?(?:的)?(?:区别|差别|差异|不同|情况|对比|比较)?(?:是什么|在哪里?|吗|呢)?)?\W*$"
)
_BETWEEN = re.compile(r"、|，|,|;|；|\s+and\s+|\s*&\s*|以及|[和与跟及](?!\w{0,1}$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared, and in which points; without points as a whole."""

    subjects: tuple[str, ...]
    points: tuple[str, ...]


def comparison(message: str) -> Comparison | None:
    """Read a comparison; nothing when the message is none, or names fewer than two things.

    Args:
        message: what the user wrote.
    """
    if not means(message, "comparison"):
        return None
    body = _LEAD.sub("", message.strip(), count=1)
    parts = _POINTS.split(body, maxsplit=1)
    subjects = _listed(parts[0])
    points = _listed(_TAIL.sub("", parts[1])) if len(parts) > 1 else ()
    return Comparison(subjects, points) if len(subjects) > 1 else None


def is_wide(message: str) -> bool:
    """Tell whether a message asks for a comparison in so many points that it is better read apart."""
    found = comparison(message)
    return found is not None and len(found.points) >= WIDE


def _listed(text: str) -> tuple[str, ...]:
    items = (
        re.sub(r"^(?:the|our|your)\s+", "", item.strip(" 的.?？。!"), flags=re.IGNORECASE)
        for item in _BETWEEN.split(text)
    )
    return tuple(dict.fromkeys(item for item in items if item))
