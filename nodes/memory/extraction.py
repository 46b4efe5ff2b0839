"""From what a user wrote to what may be remembered: by rules offline, by a live model with rules behind it."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from nodes.memory.commands import memory_command
from nodes.memory.evidence import in_earnest, is_grounded, rests_on
from nodes.memory.signals import Candidate, explicit_signals
from nodes.memory.speech import is_order
from nodes.memory.statements import read_message
from nodes.offline.rules import rule_for
from nodes.prompts import prompt
from nodes.structured import read_json, structured
from nodes.window.tokens import compact_json
from store.privacy import MASK, is_private, redact_all

_LONGEST_TEXT = 300
_SLOT = re.compile(r"(preference|profile|event)\.[\w\u4e00-\u9fff-]{1,40}")
_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?(?!\d|-)")
"""What a model's date has to be: times are compared as text, where any word would count as later than every date."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user: its id in the log, when it was written (in the user's zone), its text."""

    message_id: str
    at: datetime
    text: str


class ExtractedMemory(BaseModel):
    """One thing that is worth knowing about the user, with the words that it rests on."""

    reasoning: str = Field(default="", description="Why it is the user's own, lasting and useful.")
    message: str = Field(description="Id of the message.")
    span: str = Field(description="The user's words, character by character.")
    kind: Literal["preference", "profile", "event"]
    slot: str = Field(description="What it is about: kind.attribute.")
    text: str = Field(description="The memory in one short sentence.")
    value: str = Field(default="", description="The value alone.")
    event_time: str = Field(default="", description="ISO date of the event, or empty.")
    retracts: bool = Field(default=False, description="Whether something no longer holds.")
    negative: bool = Field(default=False, description="Whether it only says what is not wanted.")


class ExtractedMemories(BaseModel):
    """What is worth knowing about the user; usually nothing."""

    memories: list[ExtractedMemory] = Field(description="The memories.")


class _Loose(BaseModel):
    """The same when single memories may be malformed: the others still count."""

    memories: list[object]


@dataclass(slots=True)
class Extraction:
    """What came of a stretch of messages.

    Attributes:
        found: candidates, each with the message that it rests on.
        refused: how many were refused, by reason. Nothing is dropped without being counted here.
        unreadable: the model's answer when nothing of it could be read; else empty.
        malformed: the rows that could not be read where others could.
    """

    found: list[tuple[Candidate, Said]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    unreadable: str = ""
    malformed: list[str] = field(default_factory=list)


def redacted(said: Sequence[Said]) -> list[Said]:
    """Take the private values out of a user's messages, those split over two of them included."""
    return [
        Said(one.message_id, one.at, clean.text)
        for one, clean in zip(said, redact_all([one.text for one in said]), strict=True)
    ]


async def extract(said: Sequence[Said], model: BaseChatModel) -> Extraction:
    """Return what may be remembered of a user's messages.

    What the user asks of the memory itself is no source. Explicit signals are read by rule whatever the model. Everything that the model adds has to rest on words
    that the user wrote, and is refused, and counted, otherwise.

    Args:
        said: the user's messages, oldest first.
        model: the model of internal calls.

    Raises:
        ModelError: the model is out of reach; the messages have to be read again later.
    """
    clean = [one for one in redacted(said) if not memory_command(one.text)]
    extraction = Extraction(found=[(one, by) for by in clean for one in explicit_signals(by.text)])
    answer = await structured(model, ExtractedMemories, extraction_messages(clean))
    rows = answer.parsed.memories if answer.parsed else _rows(answer.raw)
    if rows is None:
        extraction.unreadable = answer.raw or "(no answer)"
    else:
        accept(rows, clean, extraction)
    return extraction


def _rows(raw: str) -> Sequence[object] | None:
    read = read_json(raw, _Loose)
    return read.memories if read else None


def accept(rows: Iterable[object], said: Sequence[Said], extraction: Extraction) -> None:
    """Check what a model extracted and add what holds; refusals are counted by reason."""
    by_id = {one.message_id: one for one in said}
    taken = {(one.slot, by.message_id) for one, by in extraction.found}
    for row in rows:
        try:
            memory = row if isinstance(row, ExtractedMemory) else ExtractedMemory.model_validate(row)
        except ValueError:
            extraction.refused["malformed"] += 1
            extraction.malformed.append(str(row))
            continue
        by = by_id.get(memory.message)
        reason = refusal(memory, by)
        if reason or by is None:
            extraction.refused[reason or "no such message"] += 1
        elif (memory.slot, memory.message) not in taken:
            extraction.found.append((_candidate(memory), by))


def refusal(memory: ExtractedMemory, by: Said | None) -> str:
    """Return why an extracted memory is refused; empty when it holds."""
    text = by.text if by else ""
    checks = (
        ("no such message", by is not None),
        ("no evidence", rests_on(memory.span, text)),
        ("no slot", _SLOT.fullmatch(memory.slot) and memory.slot.startswith(memory.kind)),
        ("no usable text", 0 < len(memory.text.strip()) <= _LONGEST_TEXT),
        ("private", not is_private(f"{memory.text}\n{memory.value}") and MASK not in memory.text),
        ("instruction", memory.kind == "event" or not is_order(memory.span)),
        ("not the user's own statement", in_earnest(memory.span, text)),
        ("not in the user's words", is_grounded(memory.text, memory.event_time, text)),
    )
    return next((reason for reason, holds in checks if not holds), "")


def extraction_messages(said: Sequence[Said]) -> list[BaseMessage]:
    """Return the request: instructions, then the user's messages as JSON."""
    rows = [{"id": one.message_id, "date": one.at.isoformat(), "text": one.text} for one in said]
    return [SystemMessage(prompt("remember")), HumanMessage(compact_json(rows))]


@rule_for(ExtractedMemories)
def extract_offline(messages: Sequence[BaseMessage]) -> ExtractedMemories:
    """Fill the schema by rules from the same messages that a live model is sent."""
    rows = json.loads(messages[-1].text)
    return ExtractedMemories(
        memories=[
            ExtractedMemory(
                message=row["id"], span=one.span, kind=one.kind, slot=one.slot, text=one.text, value=one.value,
                event_time=one.event_time, retracts=one.retracts, negative=one.negative,
            )
            for row in rows
            for one in read_message(row["text"], datetime.fromisoformat(row["date"]))
            if one.kind in ("preference", "profile", "event")
        ]
    )  # fmt: skip


def _candidate(memory: ExtractedMemory) -> Candidate:
    event = _DATE.match(memory.event_time)
    return Candidate(
        memory.kind, memory.slot, memory.text.strip(), memory.value.strip() or memory.text.strip(), memory.span,
        event[0] if event else "", memory.retracts, memory.negative,
    )  # fmt: skip
