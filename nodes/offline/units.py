"""The quotable units of a passage: sentences, list items and table rows, each with what introduces it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent
from typing import Literal

from nodes.citations.sentences import split_sentences
from nodes.offline.request import Source
from nodes.orders import gives_orders
from nodes.words import content_words

_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)(?:\{[^{}\n]*\})?")
_EMPHASIS = re.compile(r"(\*\*|__|(?<![\w*])\*)(?=[^\s*])(.+?)(?<=\S)\1(?!\*)")
_ESCAPED = re.compile(r"(`[^`]*`)|\\([!-/:-@\[-`{-~])")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*(\*\*|__)(?:(?!\1).)*[^\W_]\1\s*$")
"""A heading, or a line in bold that is no sentence: the title of an admonition."""
_ITEM = re.compile(r"\s*(?:(?P<step>\d{1,3})[.)、]|[-*+•])\s+(?P<text>.*)")
_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:=+*_-]+")
_ADMONITION = re.compile(r"\A\s*(?:>\s?|:::.*|[!?]{3}\s.*)")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_ENDS = re.compile(r"[.!?;:。！？；：…]\W*\Z")
_SENTENCE_WORDS = 3
"""Words with a meaning of their own from which on a paragraph says something without a full stop at its end."""

Kind = Literal["paragraph", "item", "row", "code", "label"]


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that can be quoted on its own.

    Attributes:
        source: the passage that it stands in.
        rank: the passage's place among the results, 0 is the best.
        text: the words, without Markdown marks of structure.
        lead: what introduces it: the sentence in front of a list, the question (in bold, or the heading) that
            a paragraph answers.
        step: its number in an ordered list, else 0.
        place: its place in the passage; the steps of a list follow one another.
        block: the paragraph, list, table or code that it is part of, with what introduces it, counted from 0.
        heading: the heading above it where the passage has headings of its own.
        kind: what its line is; a label is the name of what stands behind it, and no answer.
    """

    source: Source
    rank: int
    text: str
    lead: str = ""
    step: int = 0
    place: int = 0
    block: int = 0
    heading: str = ""
    kind: Kind = "paragraph"


@lru_cache(maxsize=256)  # a reply looks at the same passages several times
def units(source: Source, rank: int) -> tuple[Unit, ...]:
    """Split a passage into what can be quoted from it; what gives the assistant orders cannot.

    Args:
        source: the passage, in Markdown.
        rank: its place among the results.
    """
    heading = source.section.rpartition(" > ")[2].strip()
    parts = _parts(_lines(source.text), heading if asks(heading) else "")
    return tuple(
        Unit(source, rank, part.text, part.lead, part.step, place, part.block, part.heading, part.kind)
        for place, part in enumerate(parts)
        if re.search(r"\w", part.text) and not gives_orders(part.text)
    )


def introduces(text: str) -> bool:
    """Tell a sentence that only introduces what comes behind it."""
    return text.endswith((":", "："))


def asks(lead: str) -> bool:
    """Tell a lead that is a question, without which its answer (「不可以，……」) means nothing."""
    return lead.endswith(("?", "？"))


def is_code(text: str) -> bool:
    """Tell a line that is nothing but code, and a fenced piece of it."""
    return _FENCE.match(text) is not None or (text.startswith("`") and text.endswith("`"))


def plain(text: str) -> str:
    """Strip links, images and emphasis of Markdown off a line; code keeps its backticks."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    return _ESCAPED.sub(lambda found: found[1] or found[2], _EMPHASIS.sub(r"\2", text)).strip()


def _lines(text: str) -> list[str]:
    """Join what Markdown joins, so that each entry is a heading, an item, a row, a whole piece of code or a paragraph."""
    lines: list[str] = []
    open_paragraph = False
    code: list[str] = []
    for raw in text.splitlines():
        if code or _FENCE.match(raw):
            code.append(raw)
            if len(code) > 1 and raw.strip() == _fence(code):
                lines.append(_code(code))
                code, open_paragraph = [], False
            continue
        line = _ADMONITION.sub("", raw, count=1)
        starts = bool(_ITEM.match(line) or _HEADING.match(line) or line.lstrip().startswith("|"))
        if open_paragraph and line.strip() and not starts:
            lines[-1] += ("" if re.search(r"[^\x00-\x7f]$", lines[-1]) else " ") + line.strip()
            continue
        lines.append(line)
        open_paragraph = bool(line.strip()) and not line.lstrip().startswith("|")
    return [*lines, _code(code)] if code else lines


def _fence(code: Sequence[str]) -> str:
    found = _FENCE.match(code[0])
    return found[1] if found else ""


def _code(code: Sequence[str]) -> str:
    """Return a fenced piece of code, or inline code where it is one line."""
    fence = _fence(code)
    body = dedent("\n".join(line for line in code[1:] if line.strip() != fence)).strip("\n")
    if "\n" in body or "`" in body:
        return f"{code[0].strip()}\n{body}\n{fence}"
    return f"`{body.strip()}`" if body.strip() else ""


@dataclass(slots=True)
class _Part:
    text: str
    lead: str
    step: int = 0
    block: int = 0
    heading: str = ""
    kind: Kind = "paragraph"


def _parts(lines: list[str], lead: str) -> Iterator[_Part]:
    """Yield the parts of a passage; the first paragraph has the given lead."""
    block = 0
    header: list[str] = []
    heading = before = last = ""
    counted = 0
    for line in lines:
        kind = _kind(line)
        if not kind:
            continue
        item = _ITEM.fullmatch(line) if kind == "item" else None
        step = int((item and item["step"]) or 0)
        of_step = kind == "code" and before == "item"  # what is to be typed at a step, and the step behind it
        goes_on = of_step or (before == "code" and step > 1 and step == counted + 1)
        block += (kind != before or kind == "paragraph") and not introduces(last) and not goes_on
        labelled, before, counted = before == "label", kind, step or counted
        if kind == "heading":
            lead, header, heading, last = "", [], plain(line.strip().lstrip("# ")), ""
            continue
        if kind == "row":
            header, row = _row(line, header)
            found = [(row, lead, 0)] if row else []
        elif item:
            found = [(plain(item["text"]), lead, step)] if step or not _LINK.fullmatch(item["text"]) else []
        elif kind == "code":
            text = f"{lead} {line}" if labelled and "\n" not in line else line
            header, found, lead = [], [(text, lead, 0)], lead if goes_on else ""
        elif kind == "label":
            header, found = [], [(plain(line), "", 0)]
            lead = plain(line) + (":" if line.isascii() else "：")
        else:
            lead = "" if introduces(lead) and not introduces(last) else lead  # it led to what stands between
            header, found = [], [(text, said, 0) for text, said in _paragraph(line, lead)]
            lead = found[-1][0] if found and introduces(found[-1][0]) else ""
        for text, said, step in found:
            yield _Part(text, said, step, block, heading, kind)
            last = lead if kind == "label" else text


def _kind(line: str) -> Kind | Literal["heading", ""]:
    """Name what a line is; lines of one kind that follow one another are one block, but for paragraphs."""
    if _HEADING.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "row"
    if _ITEM.fullmatch(line):
        return "item"
    if is_code(line):
        return "code"
    if not line.strip():
        return ""
    return "label" if _is_label(plain(line)) else "paragraph"


def _is_label(text: str) -> bool:
    """Tell a paragraph that is no sentence: a word or two, such as the name of what stands behind it."""
    return not _ENDS.search(text) and len({*content_words(text)}) < _SENTENCE_WORDS


def _row(line: str, header: list[str]) -> tuple[list[str], str]:
    cells = [plain(cell) for cell in _CELLS.split(line.strip().strip("|"))]
    if not header:
        return cells, ""
    if _RULE.fullmatch(line):
        return header, ""
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header, cells, strict=False) if cell]
    return header, "; ".join(named)


def _paragraph(line: str, lead: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a paragraph, without scraps that hold no word; a question in bold at its head leads the rest."""
    question = re.match(r"\s*\*\*(.+?[?？])\*\*\s*(?=\S)", line)
    if question:
        lead, line = plain(question[1]), line[question.end() :]
    for text in split_sentences(plain(line)):
        if any(map(str.isalpha, text)):
            yield text.strip(), lead
