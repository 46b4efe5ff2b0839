"""Telling several questions in one message apart.

A message is cut into clauses. A clause opens a new question when something complete stands before it
and the clause asks or wants something of its own: after a question, by asking again; after a mere
statement, only behind a word that adds (另外, also). So 「我用的是专业版，而且是年付，能退款吗」 stays one
question, and 「抬头写错了，而且我想退款」 is two.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from nodes.words import content_words

MOST = 5
"""Questions of one message that count: as many as the passages that a search shows.

The longest message allowed could hold thousands, and the search for each takes the models that everybody shares.
"""

AUXILIARY = r"(?:can|could|do|does|did|is|are|was|were|will|would|should|may|has|have)(?!n['’]t|['’]t)"
WH_WORD = r"(?:what|how|where|when|why|who|which|whose|whether)(?:['’]s)?"
"""How English questions begin."""

INTERROGATIVE = r"怎么|怎样|如何|咋|什么|啥|哪|谁|多少"
"""Chinese words that ask wherever they stand."""

_BOUNDARY = re.compile(
    r"(?<=[。！？!?；;\n])\s*"  # sentences
    r"|(?<=[，])\s*|,\s*(?!\d)"  # clauses
    r"|(?<=[\u4e00-\u9fff？])\s+(?=[\u4e00-\u9fff])"  # Chinese typed with spaces for commas
    r"|(?<=[a-z)])\.\s+(?=[A-Za-z])"
    rf"|\s+(?=(?:and|&)\s+(?:also\s+)?(?:{WH_WORD}|{AUXILIARY})\b)"
    r"|[:：]\s+",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[。！？!?；;\n]\s*$|[a-z)]\.\s*$", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:^|(?<=[\s。；;，,：:]))[(（]?\d{1,2}[.、)）](?!\d)\s*")
_ASKS = re.compile(
    rf"[?？]\s*$|吗|[么不没呢](?=\W*$)|{INTERROGATIVE}|多久|多长|多大|几[个天次点号人年月种]|是否|能否|可否|有没有"
    r"|(\w)[不没]\1"
    rf"|\b{WH_WORD}\b(?=\s+(?:to|(?:\w+\s+){{0,2}}{AUXILIARY}|i|my|you|the)\b)"
    r"|\b(?:what|where|how|who)['’]s\b"
    rf"|^(?:\W*(?:and|also|so|but|plus|please|besides|if not|by the way|btw)\b)*\W*(?:{AUXILIARY}|{WH_WORD})\b",
    re.IGNORECASE,
)
_WANTS = re.compile(
    r"想(?!到|起)|我要|要求|希望|需要|帮我|麻烦|\b(?:i|we)\s+(?:also\s+)?(?:want|need|would like|['’]d like)\b|\b(?:i|we)['’]d(?:\s+also)? like\b",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"^\s*(?:另外(?!的|一)|还有(?![\d一二三两几多没])|此外|对了|再(?:问|请问|有|一个)|顺便|顺带|其次|还(?:想|要)|.{0,8}也(?![是不没一])"
    r"|(?:and\s+|&\s+)?(?:\w+\s+)?(?:also|besides|plus|additionally|on top of that|by the way|btw|separately|as well|another)\b)",
    re.IGNORECASE,
)
_JOINS = re.compile(r"^\s*(?:而且|并且|以及|同时|和|并|and\b|&)", re.IGNORECASE)
_GUESSES = re.compile(
    r"^\s*(?:是(?!否)|难道|会不会是|还是|一般|大概|(?:is|was|are|does) (?:it|that|this|there (?:a|any) reason)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^[\s,，、.;；:：&]*(?:(?:而且|并且|另外|还有|以及|同时|此外|对了|其次|顺便|顺带|再(?=问|请问)|还(?=想))[\s,，]*"
    r"|(?:and|also|plus|besides|additionally|by the way|btw|as well|on top of that)\b[\s,]*"
    r"|(?:请问|想?问(?:一下|下)?|想问问|想?知道|请教)[\s,，]*"
    r")+",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Clause:
    text: str
    asks: bool
    wants: bool
    adds: bool
    joins: bool
    guesses: bool
    topic: bool


@dataclass(slots=True)
class _Group:
    """Clauses in a row, and what they are together."""

    text: str = ""
    asks: bool = False
    wants: bool = False
    topic: bool = False

    def add(self, clause: _Clause) -> None:
        self.text += clause.text
        self.asks |= clause.asks
        self.wants |= clause.wants
        self.topic |= clause.topic

    @property
    def whole(self) -> bool:
        """Whether it is a question already: what comes before the next one belongs to that."""
        return self.topic and self.asks


def split_questions(message: str) -> list[str]:
    """Split a message into its questions, in order, each in the user's own words.

    Args:
        message: what the user wrote, in Chinese or English.

    Returns:
        The first `MOST` different ones; the message itself, alone, when it holds one question or none.
    """
    numbered = [part for part in _NUMBERED.split(message) if part.strip()]
    if numbered and len(_NUMBERED.findall(message)) > 1:
        return _first(numbered[-len(_NUMBERED.findall(message)) :])
    groups = [_Group()]
    clauses = _clauses(message)
    for clause, tells_first in zip(clauses, _tells_first(clauses), strict=False):
        if _opens(clause, groups[-1]) or (tells_first and groups[-1].whole):
            groups.append(_Group())
        groups[-1].add(clause)
    return _first([group.text for group in groups]) if len(groups) > 1 else [message.strip()]


def asks(message: str) -> bool:
    """Tell whether a message asks or wants something, be it a question in form or not."""
    return any(clause.asks or clause.wants for clause in _clauses(message))


def _clauses(message: str) -> list[_Clause]:
    cuts = [0, *(m.end() for m in _BOUNDARY.finditer(message)), len(message)]
    texts = [message[a:b] for a, b in pairwise(cuts) if message[a:b].strip()]
    return [
        _Clause(
            text,
            asks=bool(_ASKS.search(text.strip())),
            wants=bool(_WANTS.search(text)),
            adds=bool(_ADDS.search(text)),
            joins=bool(_JOINS.search(text)),
            guesses=bool(_GUESSES.search(text)),
            topic=bool(content_words(text)),
        )
        for text in texts
    ]


def _tells_first(clauses: Sequence[_Clause]) -> list[bool]:
    """Tell of each clause whether it begins a sentence that only asks in a later clause."""
    found: list[bool] = []
    asks_later = False
    for before, clause in reversed([*pairwise(clauses)]):
        asks_later = asks_later and not _ENDS.search(clause.text)
        begins = bool(_ENDS.search(before.text))
        found.append(begins and clause.topic and not clause.asks and asks_later)
        asks_later = asks_later or clause.asks
    return [False, *reversed(found)]


def _opens(clause: _Clause, group: _Group) -> bool:
    """Tell whether a clause opens a new question after the clauses before it."""
    if not group.topic or not clause.topic or (clause.guesses and not clause.adds):
        return False
    if clause.adds:
        return True
    if clause.joins:
        return clause.wants or (clause.asks and (group.asks or group.wants))
    return group.asks and clause.asks


def _first(questions: Iterable[str]) -> list[str]:
    return list(islice(dict.fromkeys(map(_bare, questions)), MOST))


def _bare(text: str) -> str:
    """Cut the words that only link a question to the one before it, and trailing commas."""
    return _OPENING.sub("", text).strip(" ,，;；\n") or text.strip()
