"""The single statements that a text is made of: clauses and table cells, each with what it takes over."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nodes.citations.quantities import Quantity, quantities
from nodes.citations.sentences import split_sentences, without_bullet
from nodes.citations.terms import Word, sequence, terms

_HEADING = re.compile(r"#{1,6}\s+|.* > ")
_LABEL = re.compile(r"\W*([^:：,，。.]{1,40})[:：](?!\d)\s?(?=\S)")
_ENDED = re.compile(r"[.!?;。！？；]\W*\Z")
_RULE = re.compile(r":?-+:?")
_CLAUSE = re.compile(
    r"(?<!\d)[,;:]\s*|(?<=\d)[,;:](?!\d)\s*|(?<=[\u3400-\u9fff])(?=(?:但|而(?!且)|并且|只是)[\u3400-\u9fff])"
    r"|\s(?=(?:but|while|whereas|although|unless|except|when|if|because|since|until|so|which|as long as)\s)"
    r"|\s(?=and\s(?:for|from|up to|at|in|on|with)\s)"
    r"|\s(?=and\s(?:can|may|must|will|cannot|is|are|does|do|never|not|costs?|[a-z]+s)\s)",
    re.IGNORECASE,
)
_FRAGMENT = 2
"""English content words up to which a piece between commas is an item of a list, not a clause."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause, or one cell of a table with the names of its row and column.

    Attributes:
        text: as written, numerals in digits.
        before: the clauses in front of it in the same sentence.
        over: headings, lead-ins and the label that it stands under.
        row: the name of its row in a table, or empty.
    """

    text: str
    before: str = ""
    over: str = ""
    row: str = ""

    @property
    def all(self) -> str:
        """The statement with everything that it takes over."""
        return f"{self.over} {self.before} {self.text}"

    @property
    def words(self) -> tuple[Word, ...]:
        """The content words of the clause itself."""
        return sequence(self.text)

    @property
    def terms(self) -> frozenset[str]:
        """The terms of the clause itself."""
        return terms(self.text)

    @property
    def amounts(self) -> list[Quantity]:
        """The amounts of the clause itself."""
        return [q for q in quantities(self.text) if q.kind == "amount"]


def statements(text: str) -> list[Statement]:
    """Cut a passage or a sentence into its statements.

    Args:
        text: Markdown with numerals in digits (`in_digits`).
    """
    found: list[Statement] = []
    over: list[str] = []
    header: list[str] = []
    lines = [line for line in text.splitlines() if line.strip()]
    for n, line in enumerate(lines, 1):
        if line.lstrip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            found += _cells(header, cells, " ".join(over))
            header = header or cells
            continue
        header = []
        if not _ENDED.search(line) and (n < len(lines) or _HEADING.match(line)):
            over.append(line)
        else:
            found += _clauses_of(line, " ".join(over))
    return found


def _cells(header: list[str], cells: list[str], over: str) -> Iterator[Statement]:
    if header and not all(_RULE.fullmatch(cell) for cell in cells):
        for name, cell in zip(header[1:], cells[1:], strict=False):
            yield Statement(f"{cells[0]} {name} {cell}", over=f"{over} {header[0]}", row=cells[0])


def labelled(line: str) -> tuple[list[str], str]:
    """Return the labels that a line begins with (专业版：…), and what it says of them, without its list marker."""
    labels, line = list[str](), without_bullet(line)
    while label := _LABEL.match(line):
        labels.append(label[1])
        line = line[label.end() :]
    return labels, line


def _clauses_of(line: str, over: str) -> Iterator[Statement]:
    labels, said = labelled(line)
    over = " ".join([over, *labels])
    for sentence in split_sentences(said):
        for part in re.split(r"[;；]\s*", sentence):
            before = ", ".join(labels)
            for clause in _clauses(part):
                yield Statement(clause, before, over)
                before = f"{before}, {clause}" if before else clause


def _clauses(sentence: str) -> Iterator[str]:
    held = ""
    for clause in _CLAUSE.split(sentence):
        held = f"{held}, {clause}" if held else clause
        size = len(sequence(held))
        if quantities(held) or size > (_FRAGMENT if held.isascii() else 1):
            yield held
            held = ""
    if held.strip():
        yield held
