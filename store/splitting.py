"""The blocks of one section packed into pieces of bounded size that overlap a little."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from zlib import crc32

from store.markdown import Block
from store.text import CJK_WEIGHT, sentences, width

PIECE_WIDTH = 1500
"""Most letters of a piece: 1,500 Latin or 600 Chinese ones, about 400 tokens of either."""
OVERLAP_WIDTH = 100
"""Most letters that a piece repeats from the one before, so that a cut hides nothing from both."""

_BORDERS = ("\n\n", "\n", "")
_TAIL_BORDERS = (
    re.compile(r"[。！？；!?\n](?=.)|[.;]\s+(?=\S)"),
    re.compile(r"[，、：](?=.)|[,:]\s+(?=\S)"),
    re.compile(r"\s+(?=\S)"),
)
_BROKEN_LINK = re.compile(r"^[^\[\]]*\]\([^()]*\)|^[^()\s\[]*\)")
_WINDOW = re.compile(r"(?s).{{1,{0}}}(?:(?<=\s)|\Z)|.{{{0}}}".format(int(PIECE_WIDTH / CJK_WEIGHT)))


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not cut any further.

    Attributes:
        text: Markdown.
        gap: what stands between it and the unit before.
        width: letters of both.
        frame: the fence or the table that it stands in.
        leads: it stays with the next unit.
        prose: its last sentences make sense alone, unlike those of a list item.
    """

    text: str
    gap: str
    width: int
    frame: Block | None = None
    leads: bool = False
    prose: bool = True


def pieces(blocks: Sequence[Block]) -> list[str]:
    """Pack blocks into pieces of at most `PIECE_WIDTH` letters, the overlap and a repeated frame aside.

    A section that fits is one piece. A longer one is cut between paragraphs, list items, table rows and
    lines of code; what is too long by itself, between sentences; a longer sentence, anywhere.
    """
    whole = [_unit(block.text, block.gap, block) for block in blocks]
    if sum(unit.width for unit in whole) <= PIECE_WIDTH:
        return [_render(whole)] if whole else []
    return [_render(group) for group in _packed([unit for block in blocks for unit in _units(block)])]


def _units(block: Block, frame: Block | None = None) -> Iterator[_Unit]:
    """Open what is wider than half a piece: smaller blocks read better whole."""
    size = width(block.text)
    if block.parts and size > PIECE_WIDTH / 2:
        inside = block if block.head else frame
        for part in (replace(block.parts[0], gap=block.gap), *block.parts[1:]):
            yield from _units(part, inside)
    elif size > PIECE_WIDTH:
        for i, text in enumerate(_sentences(block.text)):
            yield _unit(text, "" if i else block.gap, None, frame)
    else:
        yield _unit(block.text, block.gap, block, frame)


def _unit(text: str, gap: str, block: Block | None = None, frame: Block | None = None) -> _Unit:
    leads = block is not None and block.leads
    prose = block is None or not block.parts
    return _Unit(text, gap, width(text) + len(gap), frame, leads=leads, prose=prose)


def _sentences(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        if width(sentence) > PIECE_WIDTH:
            yield from _WINDOW.findall(sentence)
        else:
            yield sentence


def _packed(units: Sequence[_Unit]) -> Iterator[list[_Unit]]:
    sums = [0, *accumulate(unit.width for unit in units)]
    start, overlap = 0, list[_Unit]()
    while start < len(units):
        end = _border(units, sums, start)
        yield [*overlap, *units[start:end]]
        overlap = _overlap(units[start:end], units[end]) if end < len(units) else []
        start = end


def _border(units: Sequence[_Unit], sums: Sequence[int], start: int) -> int:
    """Return where a piece ends: at the best border between half of its size and all of it.

    Among borders of one kind a checksum of what follows decides, not the distance from the start: so the
    cuts after an edit soon fall where they fell before it, and the pieces behind it stay as they were.
    """
    last = max(start + 1, bisect_right(sums, sums[start] + PIECE_WIDTH) - 1)
    if last == len(units):
        return last
    half = bisect_left(sums, sums[start] + PIECE_WIDTH // 2, start + 1, last)
    rest = bisect_right(sums, sums[-1] - PIECE_WIDTH // 4, half, last)
    return min(range(half, max(rest, half + 1)), key=lambda i: _cost(units[i - 1], units[i]))


def _cost(before: _Unit, after: _Unit) -> tuple[bool, int, int]:
    border = "\n" if before.frame and before.frame is after.frame else after.gap
    return before.leads, _BORDERS.index(border), crc32(after.text.encode())


def _overlap(group: Sequence[_Unit], following: _Unit) -> list[_Unit]:
    """Return the end of a piece that the next one repeats: whole units, else the last sentences."""
    size, start = 0, len(group)
    while start and group[start - 1].frame is following.frame:
        size += group[start - 1].width
        if size > OVERLAP_WIDTH:
            break
        start -= 1
    if start < len(group) or following.frame or group[-1].frame or not group[-1].prose:
        return list(group[start:])
    tail = _tail(group[-1].text)
    return [_unit(tail, "")] if tail.strip() else []


def _tail(text: str) -> str:
    """Return the last letters of a text from the border of a sentence, a clause or a word on, links left whole."""
    end = text[-OVERLAP_WIDTH:]
    while width(end) > OVERLAP_WIDTH:
        end = end[len(end) // 4 + 1 :]
    end = _BROKEN_LINK.sub("", end)
    found = (border.search(end) for border in _TAIL_BORDERS)
    return next((end[match.end() :] for match in found if match), end)


def _render(units: Sequence[_Unit]) -> str:
    parts: list[str] = []
    frame: Block | None = None
    for unit in units:
        if unit.frame is not frame:
            parts += [*_closed(frame), "\n\n" if parts else ""]
            parts += [f"{unit.frame.head}\n" if unit.frame else "", unit.text]
            frame = unit.frame
        else:
            parts += [unit.gap if parts else "", unit.text]
    return "".join([*parts, *_closed(frame)]).strip("\n")


def _closed(frame: Block | None) -> list[str]:
    return [f"\n{frame.tail}"] if frame and frame.tail else []
