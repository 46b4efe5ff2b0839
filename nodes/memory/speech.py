"""What kind of speech a clause is: only what users say of themselves, in earnest, can be remembered."""

import re

from nodes.memory.cues import says
from nodes.memory.wording import persons
from nodes.questions import AUXILIARY, INTERROGATIVE, WH_WORD

_QUOTED = re.compile(r"[“「『\"‘][^”」』\"’]*[”」』\"’]")
_BOUNDARY = re.compile(
    r"(?<=[。！？!?；;\n])\s*|(?<=[，])\s*|,\s*(?!\d)|(?<=[a-z)\d])\.\s+(?=[A-Z\"'])|\s+(?:but|and)\s+(?=I\b|we\b|my\b|our\b|don't\b|please\b)"
)
_SENTENCE = re.compile(r"(?<=[。！？!?；;\n])\s*|(?<=[a-z)\d])\.\s+(?=[A-Z\"'])")
_QUESTION = re.compile(
    rf"[?？]\s*$|吗|呢\s*$|么\s*$|{INTERROGATIVE}|几[个天次点号]|是否|能否|可否|是不是|有没有|(\w)不\1"
    rf"|^\W*(?:and |but |so |please )*(?:{WH_WORD}|{AUXILIARY}|am)\b",
    re.IGNORECASE,
)


def clauses(message: str) -> list[str]:
    """Split a message into clauses that are said in earnest; quotations and whatever frames them are left out.

    Args:
        message: what the user wrote.
    """
    kept: list[str] = []
    for sentence in _SENTENCE.split(message):
        quoted = _QUOTED.search(sentence)
        if not sentence.strip() or (quoted and (says("reported", sentence) or persons(sentence))):
            continue
        if says("sarcasm", sentence) or is_hypothesis(sentence):
            continue
        kept += [
            clause.strip() for clause in _BOUNDARY.split(sentence) if clause and clause.strip(" ，,。.!！;；")
        ]
    return kept


def is_question(clause: str) -> bool:
    """Tell whether a clause asks."""
    return bool(_QUESTION.search(clause.strip()))


def is_hypothesis(text: str) -> bool:
    """Tell whether a statement only supposes something, or plans it."""
    return says("hypothesis", text)


def is_order(clause: str) -> bool:
    """Tell whether a clause tells the assistant what it may do, rather than how to talk to the user."""
    return says("orders", clause)


def is_of_others(clause: str) -> bool:
    """Tell whether a clause is about somebody else."""
    return not says("self is", clause) and (bool(persons(clause)) or says("others", clause))


def is_of_self(clause: str) -> bool:
    """Tell whether a clause names the speaker."""
    return says("self", clause)


def is_own(clause: str) -> bool:
    """Tell whether a clause states something of the user's own."""
    return not is_question(clause) and not is_hypothesis(clause) and not is_of_others(clause)
