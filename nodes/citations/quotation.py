"""Does a sentence only repeat what stands in a passage?"""

import re
import unicodedata
from collections.abc import Iterator

_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*[^()]*\)")
_MARKS = re.compile(r"\*+|__+|`+")
_STOPS = re.compile(r"\s*[^\w\s]+\s*|\s*\n\s*")
_QUOTES = re.compile(r"[「」『』“”\"]")


def repeats(sentence: str, passage: str) -> bool:
    """Tell whether each quotation in a sentence, and what stands beside it, is a run of whole clauses of a passage.

    Which marks stand between the clauses does not matter, nor do Markdown's. A row of a table may be repeated
    with the name of the column in front of each cell.

    Args:
        sentence: without its citations.
        passage: in Markdown.
    """
    pieces = [clauses for piece in _QUOTES.split(sentence) if (clauses := _clauses(piece)) != "|"]
    there = _clauses(_QUOTES.sub("|", "\n".join([passage, *_rows(passage)])))
    return bool(pieces) and all(piece in there for piece in pieces)


def _clauses(text: str) -> str:
    """Return the clauses of a text, each between bars."""
    plain = _MARKS.sub("", _LINK.sub(r"\1", unicodedata.normalize("NFKC", text)))
    return f"|{_STOPS.sub('|', plain.lower().strip())}|".replace("||", "|")


def _rows(passage: str) -> Iterator[str]:
    header: list[str] = []
    for line in passage.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if "|" in line else []
        if header and len(cells) == len(header):
            yield "; ".join(f"{name}: {cell}" for name, cell in zip(header, cells, strict=True))
        header = (header or cells) if cells else []
