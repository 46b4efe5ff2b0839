"""What a piece of an answer takes over from the lines that it stands under: the label of a list, the head of a table."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from nodes.citations.markers import cited_ids, strip_citations
from nodes.citations.sentences import without_bullet

_BOLD = re.compile(
    r"\s*(?:[-*+•]\s+|\d{1,3}[.)、．]\s*)?(?:\*\*|__)(?P<label>[^*_\n]{1,40})(?:\*\*|__)\s*[:：]?\s*\Z"
)
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<label>.+?)\W*\Z", re.DOTALL)
_LED = re.compile(r"(?P<label>[^:：。.!?！？\n]{1,40})[:：]\s*\Z")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)、．])\s")
_ROW = re.compile(r"\s*\|")
_HEAD_OF_TABLE = re.compile(r"\s*\|[^\n]*\n\s*\|[\s:|-]*\s*\Z")
CELLS = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[*_#`]+")


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of an answer, and where in it it stands.

    Attributes:
        text: the piece.
        label: the heading, bold line or list item above it that says what it is about; empty if there is none.
        columns: the names in the head of its table; empty outside of tables.
        leads: whether it only names what stands under it: a label, or the head of a table.
        cited: ids that it shares with its line, which stand behind a later sentence or in another cell.
    """

    text: str
    label: str = ""
    columns: tuple[str, ...] = ()
    leads: bool = False
    cited: tuple[str, ...] = ()


def placed(pieces: Sequence[str]) -> Iterator[Placed]:
    """Yield the pieces of an answer, each with what it stands under.

    A heading or a bold line labels what follows up to the next one, a list item what is set in under it.
    A sentence that leads to a list is no label.

    Args:
        pieces: as `split_sentences` gives them.
    """
    label, depth, columns = "", -1, tuple[str, ...]()
    for piece, following, line in zip_longest(pieces, pieces[1:], _rests(pieces), fillvalue=""):
        head = heads_table(piece)
        columns = cells(piece) if head else columns if _ROW.match(piece) else ()
        indent = _indent(piece)
        own = label_of(piece) if following and (indent < 0 or _blanks(following) > indent) else ""
        if own or 0 <= indent <= depth:
            label, depth = "", -1
        yield Placed(piece, label, () if head else columns, head or bool(own), tuple(cited_ids(line)))
        if own:
            label, depth = own, indent


def _rests(pieces: Sequence[str]) -> list[str]:
    """Return each piece with what stands behind it in the same line."""
    rests: list[str] = []
    for piece in reversed(pieces):
        goes_on = bool(rests) and not piece.endswith("\n")
        rests.append(piece + rests[-1] if goes_on else piece)
    return rests[::-1]


def _indent(piece: str) -> int:
    """Return the blanks in front of a list item; -1 for what is none."""
    return _blanks(piece) if _ITEM.match(piece) else -1


def _blanks(piece: str) -> int:
    return len(piece) - len(piece.lstrip(" \t"))


def label_of(piece: str) -> str:
    """Return what a heading, a bold line or a list item with a colon at its end names; nothing for other pieces."""
    found = _HEADING.match(piece) or _BOLD.match(piece)
    if not found and _ITEM.match(piece):
        found = _LED.match(_MARKS.sub("", without_bullet(piece)))
    return _MARKS.sub("", found["label"]).strip(" :：\n") if found else ""


def heads_table(piece: str) -> bool:
    """Tell whether a piece is the head of a table: the names of its columns and the rule under them."""
    return bool(_HEAD_OF_TABLE.match(piece))


def cells(row: str) -> tuple[str, ...]:
    """Return the cells of a row of a table (of its first line), without marks and citations."""
    line = strip_citations(row.strip().partition("\n")[0]).strip().strip("|")
    return tuple(_MARKS.sub("", cell).strip() for cell in CELLS.split(line))
