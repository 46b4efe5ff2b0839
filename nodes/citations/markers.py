"""Citation markers in an answer: ``[kb-002#1]``, or several ids in one pair of brackets."""

import re
from collections.abc import Container, Iterable

_NAME = r"[^\[\]\s#]{1,256}"
_ID = rf"{_NAME}#\d{{1,9}}"
_COMMA = r"[ \t]*[,，、;；][ \t]*"
MARKER = re.compile(rf"\[{_ID}(?:{_COMMA}{_ID})*\]")
"""One marker. An id holds no blanks, no brackets and one ``#``, with the number of the chunk behind it."""

_IDS = re.compile(rf"(?:\[|{_COMMA})({_ID})(?={_COMMA}|\])")
_BLANKS = r"(?<![ \t])([ \t]*)"  # a whole run, so that a long one is tried once
_SPACED = re.compile(rf"{_BLANKS}({MARKER.pattern})")
MARKERS = re.compile(rf"([ \t]*(?:{MARKER.pattern}[ \t]*)*{MARKER.pattern})")
"""Markers in a row with the blanks in front; splitting by it keeps them."""
_UNFINISHED = re.compile(
    rf"{_BLANKS}(?:\[(?:{_ID}{_COMMA})*(?:{_NAME}(?:#\d{{0,9}}(?:[ \t]*[,，、;；]?[ \t]*))?)?)?\Z"
)


def cited_ids(text: str) -> list[str]:
    """Return the passage ids that a text cites, in order, each once."""
    return list(dict.fromkeys(id_ for marker in MARKER.findall(text) for id_ in _IDS.findall(marker)))


def cite(ids: Iterable[str]) -> str:
    """Write ids as citations, one pair of brackets each."""
    return "".join(f"[{id_}]" for id_ in ids)


def bracket_ids(text: str, known: Iterable[str]) -> str:
    """Return the text with known ids that stand bare or in parentheses as citations."""
    ids = "|".join(re.escape(id_) for id_ in sorted(known, key=len, reverse=True))
    if not ids:
        return text
    bare = re.compile(rf"[(（]({ids})[)）]|(?<![\w/#.-])({ids})(?![\w#/-])")
    parts = re.split(rf"({MARKER.pattern})", text)
    parts[::2] = [bare.sub(lambda m: f"[{m[1] or m[2]}]", part) for part in parts[::2]]
    return "".join(parts)


def strip_citations(text: str) -> str:
    """Return the text without its citations and the blanks in front of them."""
    return _SPACED.sub("", text)


def keep_known(text: str, known: Container[str]) -> str:
    """Return what a `CitationStream` lets through of a whole text."""
    stream = CitationStream(known)
    return stream.feed(text) + stream.close()


class CitationStream:
    """Lets a streamed answer through, a citation only once it is whole and its id is known.

    What comes out does not depend on how the text was cut into pieces. Brackets that hold no passage id
    (``[1]``, links, checkboxes) pass unchanged.
    """

    def __init__(self, known: Container[str]) -> None:
        """Begin a stream.

        Args:
            known: ids that may be cited; it may grow while the stream runs.
        """
        self._known = known
        self._held = ""
        self._bracket_open = False

    def feed(self, text: str) -> str:
        """Take the next piece; return what can be shown now."""
        self._held += text
        unfinished = _UNFINISHED.search(self._held)
        cut = unfinished.start() if unfinished else len(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._checked(ready)

    def close(self) -> str:
        """Return what was held back at the end; a citation that was cut off is dropped."""
        rest, self._held = self._held, ""
        return "" if "#" in rest else rest

    def _checked(self, text: str) -> str:
        shown, end = [], 0
        for match in _SPACED.finditer(text):
            shown += [self._plain(text[end : match.start()]), self._marker(match[1], match[2])]
            end = match.end()
        return "".join([*shown, self._plain(text[end:])])

    def _plain(self, text: str) -> str:
        last = max(text.rfind("["), text.rfind("]"), text.rfind("\n"))
        if last >= 0:
            self._bracket_open = text[last] == "["
        return text

    def _marker(self, blanks: str, marker: str) -> str:
        kept = [id_ for id_ in _IDS.findall(marker) if id_ in self._known]
        if kept:
            self._bracket_open = False
            return blanks + cite(kept)
        # A bracket left open before a dropped marker must not close around what follows as a new one.
        joins, self._bracket_open = self._bracket_open, False
        return " ]" if joins else ""
