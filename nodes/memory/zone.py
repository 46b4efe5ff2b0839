"""How memories stand in the window: what is known of the user, and what is recalled for a question."""

from collections.abc import Mapping, Sequence

from nodes.citations import strip_citations
from nodes.language import Language
from nodes.memory.decide import OPEN_ENDED
from nodes.memory.precedence import Claim, prevailing
from nodes.memory.slots import PROFILE
from nodes.window.tokens import estimate_tokens
from store.memory import Memory, Source, Status

TOKENS = 600
"""Most tokens of memory that enter a turn."""
ZONE_TOKENS = 350
PROFILES = 5
"""Most profile memories that are shown; the newest."""

_TITLES: dict[Language, str] = {
    "zh": "# 关于这位用户（以前得知；用户这次说的和查到的段落优先）",
    "en": "# About this user (known from before; what is said or found now goes first)",
}
_SOURCES: dict[Source, dict[Language, str]] = {
    "business": {"zh": "业务系统", "en": "business system"},
    "user": {"zh": "用户说", "en": "said by the user"},
    "inferred": {"zh": "得出的结论", "en": "concluded"},
}
_STATUS: dict[Status, dict[Language, str]] = {
    "active": {"zh": "", "en": ""},
    "superseded": {"zh": "，已不适用", "en": ", no longer so"},
    "conflicting": {"zh": "，说法不一，请向用户确认", "en": ", contradictory, ask the user"},
}
_RECALLED: dict[Language, str] = {"zh": "以前", "en": "Earlier"}


def user_zone(
    memories: Sequence[Memory], business: Mapping[str, str], written_in: Language, today: str
) -> str:
    """Return preferences and profile as lines, preferences first; empty when nothing is known.

    Args:
        memories: all that hold, newest first.
        business: what the business system says now, value by slot; it goes before every memory.
        written_in: language of the frame; each memory is in the user's own words.
        today: ISO date.
    """
    shown = [memory for memory in memories if memory.kind == "preference"]
    profile = _prevailing([m for m in memories if m.kind == "profile" and m.slot not in business], today)
    lines = [line(memory, written_in) for memory in shown]
    lines += [_business_line(slot, value, written_in) for slot, value in business.items()]
    lines += [line(memory, written_in) for memory in profile[:PROFILES]]
    kept = within(lines, ZONE_TOKENS)
    return "\n".join([_TITLES[written_in], *(f"- {one}" for one in kept)]) if kept else ""


def disagreeing(memories: Sequence[Memory], business: Mapping[str, str]) -> list[Memory]:
    """Return the memories that the business system contradicts, which are to be corrected."""
    return [
        memory
        for memory in memories
        if memory.status == "active" and memory.slot in business and memory.value != business[memory.slot]
    ]


def line(memory: Memory, written_in: Language) -> str:
    """Return a memory on one line, with its date and its source."""
    since = (memory.event_time or memory.written)[:10]
    told = f"{since} {_SOURCES[memory.source][written_in]}{_STATUS[memory.status][written_in]}"
    said = strip_citations(memory.text).strip()
    if memory.kind == "fact" and memory.source != "user":
        told = f"{since} {', '.join(one.message_id for one in memory.evidence)}"
    return f"{said}（{told}）" if written_in == "zh" else f"{said} ({told})"


def recalled_line(memory: Memory, written_in: Language) -> str:
    """Return a recalled memory as it stands in front of a question."""
    return f"{_RECALLED[written_in]}: {line(memory, written_in)}"


def within(lines: Sequence[str], tokens: float) -> list[str]:
    """Return whole lines from the first on, as far as they fit."""
    kept: list[str] = []
    for one in lines:
        tokens -= estimate_tokens(one)
        if tokens >= 0:
            kept.append(one)
    return kept


def _prevailing(profile: Sequence[Memory], today: str) -> list[Memory]:
    """Return the memories that hold, one a slot unless they are known to contradict each other."""

    def holds(memory: Memory) -> bool:
        rivals = [one for one in profile if one.slot == memory.slot and one.status == "active"]
        if memory.status != "active" or len(rivals) < 2 or memory.slot in OPEN_ENDED:  # noqa: PLR2004 - a pair
            return True
        claims = [Claim(one.source, one.value, one.event_time, one.written) for one in rivals]
        return prevailing(claims, today)[0] is claims[rivals.index(memory)]

    return [memory for memory in profile if holds(memory)]


def _business_line(slot: str, value: str, written_in: Language) -> str:
    label = next(one for one in PROFILE if one.name == slot)
    source = _SOURCES["business"][written_in]
    said = label.text_of(value, written_in)
    return f"{said}（{source}）" if written_in == "zh" else f"{said} ({source})"
