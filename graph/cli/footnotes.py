"""Citations on a terminal, where an id that is a long path would drown the sentence before it."""

from nodes.citations.markers import MARKER, cite, cited_ids

_LONGEST = 16


class Footnotes:
    """Numbers the long ids of one answer in the order in which they appear; short ones stay as they are."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def shorten(self, text: str) -> str:
        """Return a text, or a piece of one that cuts no citation, with ``[#1]`` for ``[docs/a/long/path#7]``."""
        return MARKER.sub(lambda marker: cite(map(self._short, cited_ids(marker[0]))), text)

    def explained(self, id_: str) -> str:
        """Return an id as the text shows it and, where that is a number, as it is."""
        short = self._short(id_)
        return f"[{short}]" if short == id_ else f"[{short}] {id_}:"

    def _short(self, id_: str) -> str:
        if len(id_) <= _LONGEST:
            return id_
        return f"#{self._numbers.setdefault(id_, len(self._numbers) + 1)}"
