"""The stretches of a sentence, each with the citations that stand behind it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nodes.citations.markers import MARKERS, cite

_END = re.compile(r"(?:[。.！!？?；;]?)\s*\Z")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a sentence and the citations that stand in it; it has no words behind them but the last."""

    before: str
    markers: str
    after: str = ""

    def citing(self, ids: Sequence[str]) -> str:
        """Write the stretch with other citations: in the old place, or in front of the full stop."""
        if self.markers:
            blanks = self.markers[: len(self.markers) - len(self.markers.lstrip())]
            return f"{self.before}{blanks if ids else ''}{cite(ids)}{self.after}"
        end = _END.search(self.before)
        at = end.start() if end else len(self.before)
        blank = " " if ids and self.before[:at][-1:].isascii() else ""
        return f"{self.before[:at]}{blank}{cite(ids)}{self.before[at:]}"


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
