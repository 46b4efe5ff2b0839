"""Explicit signals: wishes and requests to remember, read by rule, in force in the same turn."""

import re
from dataclasses import dataclass, replace

from nodes.language import language
from nodes.memory.cues import says
from nodes.memory.languages import SLOT, switches
from nodes.memory.slots import PREFERENCES, PROFILE, Slot
from nodes.memory.speech import clauses, is_of_others, is_of_self, is_order, is_question
from nodes.questions import asks
from store.memory import Kind
from store.privacy import MASK

_WISH = re.compile(
    r"^\W*(?:那就?|还是|也|就|请|麻烦|拜托|好[的吧]?)*\s*(?:请|别|不要|勿|不用|少|多)|别(?:[用加发给打写说放]|那么|这么|太|再)|不要[用加发给打写说放]|喜欢|偏好|更愿意|倾向|希望|(?:把|先|说|写|讲|叫|称呼|放|给).*(?:短|长|细|前面|结论|答案|我)|比较方便|(?:用|发|打|通过).{0,8}(?:联系|找|通知)我"
    r"|^\W*(?:and |but |so )*(?:please|no\b|don['’]?t|do not|never|stop|be |keep |put |call me|use |address me|answer|reply|write|give|contact|just|only|email me|text me)"
    r"|\bi(?:['’]d)? (?:prefer|like|want|would like)\b|\bwe prefer\b|\bmy name is\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:请|麻烦|帮我|您|你|能|也|那)*\s*(?:记住|记得|记一下|记下|记着)[:：，,\s]*"
    r"|^(?:(?:please|can you|could you)\s+)*(?:remember|note|keep in mind)\b(?:\s+(?:that|to)\b)?[:,\s]*",
    re.IGNORECASE,
)
"""How a request to remember begins."""
_TO_DO = re.compile(r"[^，,]{0,6}记得|.{0,20}\bremember to\b", re.IGNORECASE)
"""How a request to do something begins that sounds like one (「记得给我发票」)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be remembered, before it meets what is known already.

    Attributes:
        kind: kind of memory.
        slot: what it is about, ``kind.attribute``.
        text: the memory.
        value: its value.
        span: the user's own words on which it rests.
        event_time: ISO date (or month, or year) of what happened; empty: when it was said.
        retracts: whether it ends what the slot holds, without a new value.
        negative: whether it only says what is not wanted.
    """

    kind: Kind
    slot: str
    text: str
    value: str
    span: str
    event_time: str = ""
    retracts: bool = False
    negative: bool = False


def explicit_signals(message: str) -> list[Candidate]:
    """Return what a message asks to be remembered or wishes for good; mostly nothing.

    A clause whose private value was cut out tells nothing without it.

    Args:
        message: what the user wrote, private values redacted.
    """
    found: dict[str, Candidate] = {}
    lasting = remembering = False
    for clause in clauses(message):
        lasting = lasting or says("lasting", clause)
        remembering = remembering or says("remember", clause)
        if MASK in clause or is_question(clause) or is_order(clause) or is_of_others(clause):
            continue
        said = _LEAD.sub("", clause) or clause
        for candidate in _signals(said, clause, lasting, remembering):
            previous = found.get(candidate.slot)
            found[candidate.slot] = _joined(previous, candidate) if previous else candidate
    return list(found.values())


def asks_to_remember(message: str) -> bool:
    """Tell whether a message asks to be remembered and for nothing else.

    Args:
        message: what the user wrote.
    """
    message = message.strip()
    lead = _LEAD.match(message)
    return lead is not None and not _TO_DO.match(message) and not asks(message[lead.end() :])


def candidate(slot: Slot, value: str, span: str, *, negative: bool = False) -> Candidate:
    """Return the candidate of a slot's value, its text in the language of the user's words."""
    kind: Kind = "profile" if slot.kind == "profile" else "preference"
    return Candidate(kind, slot.name, slot.text_of(value, language(span)), value, span, negative=negative)


def _signals(said: str, clause: str, lasting: bool, remembering: bool) -> list[Candidate]:
    wished = lasting or remembering or bool(_WISH.search(said)) or switches(said)
    for slot in PREFERENCES if wished else ():
        value = said.strip(_ENDS) if slot.name == SLOT and switches(said) else slot.value_of(said)
        if value and (slot.name != "preference.format" or lasting or remembering or _WISH.search(said)):
            return [candidate(slot, value, clause, negative=says("negative", said))]
    if remembering and is_of_self(said):
        stated = [candidate(slot, value, clause) for slot in PROFILE if (value := slot.value_of(said))]
        return stated or ([_note(said, clause)] if said != clause or len(said) > _SHORTEST else [])
    if lasting and wished and says("tells", said):
        return [_note(said, clause, "preference.other")]
    return []


_SHORTEST = 6
_ENDS = " ，,。.!！"


def _note(said: str, clause: str, slot: str = "profile.note") -> Candidate:
    kind: Kind = "preference" if slot.startswith("preference") else "profile"
    return Candidate(kind, slot, said.strip(_ENDS), said.strip(_ENDS), clause)


def _joined(one: Candidate, other: Candidate) -> Candidate:
    """Put two clauses on one slot together: 「发邮件给我就行，别打电话」."""
    gap = "，" if language(one.span) == "zh" else ", "
    return replace(
        one,
        text=f"{one.text}{gap}{other.value}",
        value=f"{one.value}{gap}{other.value}",
        negative=one.negative and other.negative,
    )
