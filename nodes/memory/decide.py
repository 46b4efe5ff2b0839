"""What becomes of a candidate once it meets what is known: new, nothing, in the place of the old, beside it."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import NAMESPACE_OID, uuid5

from nodes.memory.cues import without
from nodes.memory.evidence import folded
from nodes.memory.extraction import Said
from nodes.memory.judge import judge
from nodes.memory.signals import Candidate
from nodes.memory.statements import OPEN_PROBLEM
from nodes.window.tokens import HAN
from nodes.words import content_words
from store.memory import Evidence, Memory

OPEN_ENDED = frozenset({"profile.note", "preference.other"})
"""Slots that hold many things; only a duplicate is left out of them."""
_AND = "；"
"""Between the parts of a preference that was told bit by bit."""


def decide(candidate: Candidate, said: Said, thread_id: str, known: Sequence[Memory]) -> list[Memory]:
    """Return the memories to write for a candidate: none, a new one, or a new one and the old one closed.

    Only a memory of the same slot can be closed. Deciding again on the same message changes nothing.

    Args:
        candidate: what was read from the message.
        said: the message.
        thread_id: its thread.
        known: all of the user's memories, those that no longer hold included.
    """
    new = memory_of(candidate, said, thread_id)
    same = [memory for memory in known if memory.slot == new.slot]
    if any(new.id == memory.id or new.evidence[0] in memory.evidence for memory in same):
        return []
    if candidate.kind == "event":
        return _event(candidate, new, known)
    active = [memory for memory in same if memory.status != "superseded"]
    if candidate.retracts:
        return [_closed(memory, new) for memory in active]
    return _value(candidate, new, active)


def _value(candidate: Candidate, new: Memory, active: Sequence[Memory]) -> list[Memory]:
    if any(folded(memory.value) == folded(new.value) for memory in active if memory.status == "active"):
        return []
    verdicts = [judge(memory.text, new.text).relation for memory in active]
    if new.slot in OPEN_ENDED:
        return [] if "duplicate" in verdicts else [new]
    if not active:
        return [new]
    if any((memory.event_time or memory.written) > (new.event_time or new.written) for memory in active):
        return [replace(new, status="superseded", valid_to=active[0].event_time or active[0].written)]
    if candidate.negative and candidate.kind == "preference":
        new = _beside(new, active[0])
    elif candidate.kind == "profile" and "contradiction" in verdicts:
        return [replace(new, status="conflicting"), *(replace(old, status="conflicting") for old in active)]
    return [new, *(_closed(old, new) for old in active)]


def _event(candidate: Candidate, new: Memory, known: Sequence[Memory]) -> list[Memory]:
    """Add an event, or tell of an open one that it was solved."""
    still_open = [m for m in known if m.kind == "event" and m.status == "active" and m.value == "open"]
    named = [memory for memory in still_open if memory.slot == new.slot]
    if candidate.value == "solved":
        candidates = named or (still_open if new.slot == OPEN_PROBLEM else [])
        if not candidates:
            return []
        old = max(candidates, key=lambda memory: memory.written)
        solved = replace(
            old, text=f"{old.text}；{new.written[:10]} {_solved_in(old.text)}", value="solved",
            evidence=(*old.evidence, *new.evidence),
        )  # fmt: skip
        return [solved]
    told = [
        m for m in known if m.slot == new.slot and m.status == "active" and m.event_time == new.event_time
    ]
    return [] if told else [new]


def _solved_in(text: str) -> str:
    return "已解决" if HAN.search(text) else "solved"


def _beside(new: Memory, old: Memory) -> Memory:
    """Return what is not wanted together with what was said before, less what it takes back or says again."""
    kept = [part for part in old.value.split(_AND) if not _about_the_same(new.value, part)]
    value = _AND.join([*kept, new.value])
    return replace(new, text=new.text.removesuffix(new.value) + value, value=value)


def _about_the_same(refused: str, told: str) -> bool:
    """Tell whether half of the words that are refused were told (「以后别先说结论了」 after 「先说结论」)."""
    words = {*content_words(without("negative", without("lasting", refused)))}
    return 2 * len(words & {*content_words(told)}) >= max(1, len(words))


def _closed(old: Memory, new: Memory) -> Memory:
    return replace(old, status="superseded", valid_to=new.event_time or new.written)


def memory_of(candidate: Candidate, said: Said, thread_id: str) -> Memory:
    """Return the memory of a candidate; its id follows from what it rests on, so that it is written once."""
    return Memory(
        id=str(
            uuid5(NAMESPACE_OID, f"{thread_id}\x00{said.message_id}\x00{candidate.slot}\x00{candidate.text}")
        ),
        kind=candidate.kind,
        slot=candidate.slot,
        text=candidate.text,
        value=candidate.value,
        evidence=(Evidence(thread_id, said.message_id, candidate.span),),
        event_time=candidate.event_time,
        written=said.at.isoformat(),
        source="user",
    )
