"""What turns leave behind beside the user's own words: confirmed facts, and what to do better next time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.citations import Verified
from nodes.citations.sentences import without_bullet
from nodes.intents import means
from nodes.language import Language, language
from nodes.memory.cues import says
from nodes.memory.statements import read_message
from nodes.memory.wording import topics
from store.memory import Evidence, Kind, Memory
from store.privacy import redact

REFLECTIONS = 20
"""Most reflections that are kept of a user; the oldest go."""
FACTS = 3
"""Most facts that one answer leaves: its first statements."""
_QUOTED = 60
_STEP = re.compile(r"\s*\d+[.)、]")
"""A step of instructions says nothing without the steps around it."""

_LESSONS: dict[str, dict[Language, str]] = {
    "failed": {
        "zh": "问过「{question}」，当时没有找到答案；再问到时换个说法再查，仍没有就直说，并马上提供人工",
        "en": 'Asked "{question}", and no answer was found; look again in other words, else say so at once and offer a person',
    },
    "corrected": {
        "zh": "问「{question}」时答错过，用户更正：「{correction}」；再答这类问题先核对这一点",
        "en": 'The answer to "{question}" was corrected: "{correction}"; check that point first next time',
    },
    "handed over": {
        "zh": "「{question}」最后转了人工；再遇到时尽早提供人工",
        "en": '"{question}" ended with a person; next time offer one early',
    },
}


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a thread with what became of it.

    Attributes:
        thread_id: the thread.
        messages: the turn, its question first.
        at: when the question was asked.
        answered: whether an answer was found.
        handed_over: whether it went to a person.
    """

    thread_id: str
    messages: Sequence[BaseMessage]
    at: datetime
    answered: bool = True
    handed_over: bool = False

    @property
    def question(self) -> HumanMessage:
        """What the user wrote."""
        first = self.messages[0]
        return first if isinstance(first, HumanMessage) else HumanMessage("")

    @property
    def answer(self) -> AIMessage | None:
        """What the user was answered."""
        return next((m for m in reversed(self.messages) if isinstance(m, AIMessage) and m.text), None)


def asked_topics(text: str) -> frozenset[str]:
    """Return what a message asks about; small talk asks nothing."""
    return frozenset() if means(text, "smalltalk") else topics(text)


def reflections(turns: Sequence[Turn]) -> list[Memory]:
    """Return what is to be done better after turns that failed, were corrected, or went to a person.

    Args:
        turns: consecutive turns, oldest first; a correction is read in the turn behind the corrected one. A message
            that tells of the user and found no answer has not failed: it asked nothing.
    """
    found: list[Memory] = []
    for turn, following in zip_longest(turns, turns[1:]):
        correction = following.question.text if following else ""
        if says("corrects", correction):
            found.append(_reflection(turn, "corrected", correction))
        elif turn.handed_over:
            found.append(_reflection(turn, "handed over"))
        elif not turn.answered and not read_message(turn.question.text, turn.at):
            found.append(_reflection(turn, "failed"))
    return found


def facts(turn: Turn, verified: Verified, passages: Mapping[str, Mapping[str, str]]) -> list[Memory]:
    """Return the sentences of an answer that cite a passage which says them, and that say something on their own.

    Args:
        turn: a turn that left the window.
        verified: its answer, checked once more.
        passages: what the thread was given, by id.
    """
    said = [
        sentence
        for sentence in verified.sentences
        if sentence.verdict
        and sentence.verdict.supported
        and sentence.sources
        and not (sentence.is_value or _STEP.match(sentence.text))
    ]
    return [
        _memory(
            turn, "fact", f"fact.{sentence.sources[0]}", without_bullet(sentence.text).strip(),
            tuple(Evidence(turn.thread_id, id_, passages[id_]["text"]) for id_ in sentence.sources),
        )
        for sentence in said[:FACTS]
    ]  # fmt: skip


def is_hand_over(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether a turn holds a hand-over to a person."""
    return any(isinstance(m, ToolMessage) and m.name == "hand_over" for m in messages)


def _reflection(turn: Turn, why: str, correction: str = "") -> Memory:
    question, written_in = turn.question, language(turn.question.text)
    text = _LESSONS[why][written_in].format(question=_quoted(question.text), correction=_quoted(correction))
    about = min(asked_topics(question.text), default="general")
    evidence = (Evidence(turn.thread_id, str(question.id), redact(question.text).text),)
    return _memory(turn, "reflection", f"reflection.{about}", text, evidence)


def _memory(turn: Turn, kind: Kind, slot: str, text: str, evidence: tuple[Evidence, ...]) -> Memory:
    return Memory(
        id=str(uuid5(NAMESPACE_OID, f"{turn.thread_id}\0{turn.question.id}\0{slot}\0{text}")),
        kind=kind,
        slot=slot,
        text=text,
        value=text,
        evidence=evidence,
        event_time="",
        written=turn.at.isoformat(),
        source="inferred",
    )


def _quoted(text: str) -> str:
    clean = " ".join(redact(text).text.split())
    return clean if len(clean) <= _QUOTED else f"{clean[:_QUOTED]}…"
