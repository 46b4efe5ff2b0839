"""What texts, messages and requests are made of: the additive counts that tokens are estimated from."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from nodes.window.tokens import HAN, message_text

DIGITS = re.compile(r"[0-9]+")
LETTER = re.compile(r"[A-Za-z]")
MARKS = re.compile(r"[!-/:-@\[-`{-~]+")
WIDE = re.compile(r"[^\x00-\x7f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
ASTRAL = re.compile(r"[\U00010000-\U0001ffff]")


class Counts(NamedTuple):
    """What a text or a request is made of; additive, so that only what is new has to be counted."""

    han: int = 0
    digit_groups: int = 0
    """Groups of at most three digits, the way most vocabularies cut numbers."""
    digits: int = 0
    letters: int = 0
    marks: int = 0
    """Runs of ASCII punctuation."""
    wide: int = 0
    """Characters outside ASCII that are not Han; those beyond the basic plane count three."""
    messages: int = 0
    calls: int = 0
    """Tool calls and their results."""
    tools: int = 0
    """Tool schemas."""
    requests: int = 0

    def plus(self, *others: "Counts") -> "Counts":
        """Return the sum of this and the other counts."""
        return Counts(*map(sum, zip(self, *others, strict=True)))

    def minus(self, other: "Counts") -> "Counts":
        """Return the difference of two counts."""
        return Counts(*(a - b for a, b in zip(self, other, strict=True)))


ZERO = Counts()


@lru_cache(maxsize=32_768)
def text_counts(text: str) -> Counts:
    """Count what a text is made of; remembered, so that a text is counted once in a process."""
    numbers = DIGITS.findall(text)
    return Counts(
        han=len(HAN.findall(text)),
        digit_groups=sum(-(-len(number) // 3) for number in numbers),
        digits=sum(map(len, numbers)),
        letters=len(LETTER.findall(text)),
        marks=len(MARKS.findall(text)),
        wide=len(WIDE.findall(text)) + 2 * len(ASTRAL.findall(text)),
    )


def lines_counts(text: str) -> Counts:
    """Count a long text that grows by lines: equal to `text_counts`, and each line is counted once."""
    return total([text_counts(line) for line in text.split("\n")])


def message_counts(message: BaseMessage) -> Counts:
    """Count a message: its text, its tool calls and its envelope."""
    calls = len(message.tool_calls) if isinstance(message, AIMessage) else int(message.type == "tool")
    return text_counts(message_text(message))._replace(messages=1, calls=calls)


def total(parts: Sequence[Counts]) -> Counts:
    """Return the sum of counts, zero for none."""
    return ZERO.plus(*parts)
