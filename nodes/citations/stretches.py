"""The stretches of a sentence or of a row of a table, each with the citations that stand behind it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from nodes.citations.layout import CELLS, cells
from nodes.citations.markers import MARKERS, cite

_END = re.compile(r"(?:[。.！!？?；;]?)\s*\Z")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a sentence and the citations that stand in it; it has no words behind them but the last."""

    before: str
    markers: str
    after: str = ""
    claim: str | None = None
    """What it says, where its words alone do not say it; empty: nothing."""
    about: tuple[str, ...] = ()
    """What its sources have to speak of."""

    @property
    def said(self) -> str:
        """What is checked."""
        return self.before + self.after if self.claim is None else self.claim

    def citing(self, ids: Sequence[str]) -> str:
        """Write the stretch with other citations: in the old place, or in front of the full stop."""
        if self.markers:
            blanks = self.markers[: len(self.markers) - len(self.markers.lstrip())]
            return f"{self.before}{blanks if ids else ''}{cite(ids)}{self.after}"
        end = _END.search(self.before)
        at = end.start() if end else len(self.before)
        blank = " " if ids and self.before[:at][-1:].isascii() else ""
        return f"{self.before[:at]}{blank}{cite(ids)}{self.before[at:]}"


def cell_stretches(row: str, columns: Sequence[str]) -> list[Stretch]:
    """Cut a row of a table into its cells, each with what it says of its row and its column.

    Args:
        row: with its citations.
        columns: the names of the columns.
    """
    parts = [f"|{text}" if n else text for n, text in enumerate(CELLS.split(row))]
    named = cells(row)
    found = [Stretch(parts[0], "", claim="")]
    for part, cell, column in zip_longest(parts[1:], named, columns[: len(named)], fillvalue=""):
        *_, last = stretches(part)
        text = part[: len(part) - len(last.markers + last.after)]
        says = len(found) > 1 and bool(_WORD.search(cell))
        found.append(
            Stretch(
                text,
                last.markers,
                last.after,
                claim=f"{named[0]} {column} {cell}" if says else "",
                about=(named[0], column) if says else (),
            )
        )
    return found


def stretches(sentence: str) -> list[Stretch]:
    """Cut a sentence behind each group of its citations.

    Args:
        sentence: with its citations.
    """
    texts = MARKERS.split(sentence)
    parts = [Stretch(texts[i], texts[i + 1]) for i in range(0, len(texts) - 1, 2)]
    if not parts:
        return [Stretch(sentence, "")]
    parts[-1] = replace(parts[-1], after=texts[-1])
    return parts
