"""The gate itself: find, redact, also what is split over two messages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from store.privacy.addresses import find_addresses
from store.privacy.folding import fold
from store.privacy.numbers import Span, find_numbers, kind_of
from store.privacy.secrets import find_secrets

MASK = "[***]"
"""What stands in the place of a private value."""

_JOINT = "\n"
_HALF = 64
"""Characters at a joint in which half a number stands, its separators included."""
_TAIL = re.compile(r"\d[\d\s.\-]*$")
_HEAD = re.compile(r"^([^\d\n]{0,8})(\d[\d\s.\-]*[Xx]?)")
_SPEAKS = re.compile(
    r"身份证|证件|卡|手机|电话|号码|打给?我|联系|\b(?:card|phone|id number|call|mobile)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its private values.

    Attributes:
        text: the text, each value replaced by ``MASK``.
        kinds: what was found, in order of place: id, card, phone, address, password, code, key.
    """

    text: str
    kinds: tuple[str, ...]


def redact(text: str) -> Redaction:
    """Replace the private values of a text.

    Args:
        text: any text. It is read without regard to width, invisible characters, separators and the way
            digits are written.
    """
    return redact_all([text])[0]


def is_private(text: str) -> bool:
    """Tell whether a text holds a private value."""
    return bool(redact(text).kinds)


def redact_all(texts: Sequence[str]) -> list[Redaction]:
    """Replace private values in the consecutive messages of a user, those split over two of them included.

    Args:
        texts: the messages, oldest first.
    """
    joined = _JOINT.join(texts)
    spans = _merged(joined)
    redacted, begin = [], 0
    for text in texts:
        end = begin + len(text)
        inside = [
            (max(a, begin) - begin, min(b, end) - begin, kind)
            for a, b, kind in spans
            if a < end and b > begin
        ]
        redacted.append(Redaction(_masked(text, inside), tuple(kind for *_, kind in inside)))
        begin = end + len(_JOINT)
    return redacted


def private_values(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the private values that messages hold as they are written there, each with its kind."""
    return [(text[begin:end], kind) for text in texts for begin, end, kind in _merged(text)]


def _merged(text: str) -> list[Span]:
    """Return the private spans of the original text, overlapping ones joined, in order."""
    folded = fold(text)
    found = [*find_secrets(folded.text), *find_numbers(folded.text), *find_addresses(folded.text)]
    found += _split_numbers(folded.text)
    spans: list[Span] = []
    for begin, end, kind in sorted((*folded.span(a, b), kind) for a, b, kind in found if b > a):
        if spans and begin < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]), spans[-1][2])
        else:
            spans.append((begin, end, kind))
    return spans


def _split_numbers(text: str) -> list[Span]:
    """Return the halves of numbers of which the next message, after a few words, gives the rest."""
    spans: list[Span] = []
    if (speaks := _SPEAKS.search(text)) is None:
        return spans
    for joint in re.finditer(_JOINT, text):
        begin = max(0, joint.start() - _HALF)
        tail = _TAIL.search(text[begin : joint.start()])
        head = _HEAD.match(text[joint.end() : joint.end() + _HALF])
        if not tail or not head or speaks.end() > joint.start():
            continue
        kind = kind_of(re.sub(r"[^\dXx]", "", tail.group() + head[2]))
        if kind:
            spans += [
                (begin + tail.start(), joint.start(), kind),
                (joint.end() + head.start(2), joint.end() + head.end(2), kind),
            ]
    return spans


def _masked(text: str, spans: Sequence[Span]) -> str:
    for begin, end, _ in reversed(spans):
        text = text[:begin] + MASK + text[end:]
    return text
