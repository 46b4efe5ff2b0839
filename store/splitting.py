"""The blocks of one section packed into pieces of bounded size that overlap a little."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from store.markdown import Block
from store.text import CJK_WEIGHT, sentences, width

PIECE_WIDTH = 1500
"""Most letters of a piece: 1,500 Latin or 600 Chinese ones, about 400 tokens of either."""
OVERLAP_WIDTH = 100
"""Most letters that a piece repeats from the one before, so that a cut hides nothing from both."""

_WINDOW = re.compile(r"(?s).{{1,{0}}}(?:(?<=\s)|\Z)|.{{{0}}}".format(int(PIECE_WIDTH / CJK_WEIGHT)))


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is not cut any further; `frame` is the fence or the table that it stands in."""

    text: str
    gap: str
    width: int
    frame: Block | None = None
    leads: bool = False


def pieces(blocks: Sequence[Block]) -> list[str]:
    """Pack blocks into pieces of at most `PIECE_WIDTH` letters, the overlap and a repeated frame aside.

    A section that fits is one piece. A longer one is cut between paragraphs, list items, table rows and
    lines of code; what is too long by itself, between sentences; a longer sentence, anywhere.
    """
    whole = [_Unit(block.text, block.gap, width(block.text)) for block in blocks]
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
            yield _Unit(text, "" if i else block.gap, width(text), frame)
    else:
        yield _Unit(block.text, block.gap, size, frame, block.leads)


def _sentences(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        if width(sentence) > PIECE_WIDTH:
            yield from _WINDOW.findall(sentence)
        else:
            yield sentence


def _packed(units: Sequence[_Unit]) -> Iterator[list[_Unit]]:
    group: list[_Unit] = []
    size = 0
    for unit in units:
        if group and size + unit.width > PIECE_WIDTH:
            kept, leads = _without_leads(group)
            yield kept
            group = [*_overlap(kept, [*leads, unit][0]), *leads]
            size = sum(each.width for each in leads)
        group.append(unit)
        size += unit.width
    if group:
        yield group


def _without_leads(group: list[_Unit]) -> tuple[list[_Unit], list[_Unit]]:
    """Part a piece from what introduces the next one."""
    end = len(group)
    while end > 1 and group[end - 1].leads:
        end -= 1
    return (group[:end], group[end:]) if not group[end - 1].leads else (group, [])


def _overlap(group: Sequence[_Unit], following: _Unit) -> list[_Unit]:
    """Return the end of a piece that the next one repeats: whole units, else the last sentences."""
    size, start = 0, len(group)
    if group[-1].frame is not following.frame:
        return []
    while start and group[start - 1].frame is following.frame:
        size += group[start - 1].width
        if size > OVERLAP_WIDTH:
            break
        start -= 1
    if start < len(group) or following.frame:
        return list(group[start:])
    tail = _tail(group[-1].text)
    return [_Unit(tail, "", width(tail))] if tail.strip() else []


def _tail(text: str) -> str:
    tail = text[-OVERLAP_WIDTH:]
    parts = sentences(tail)
    if len(parts) > 1:
        return "".join(parts[1:])
    words = re.search(r"\s\S", tail)
    tail = tail[words.end() - 1 :] if words else tail
    return tail if width(tail) <= OVERLAP_WIDTH else tail[-int(OVERLAP_WIDTH / CJK_WEIGHT) :]


def _render(units: Sequence[_Unit]) -> str:
    parts: list[str] = []
    frame: Block | None = None
    for unit in units:
        if unit.frame is not frame:
            parts += [f"\n{frame.tail}" if frame and frame.tail else "", "\n\n" if parts else ""]
            parts += [unit.frame.head + "\n" if unit.frame else "", unit.text]
            frame = unit.frame
        else:
            parts += [unit.gap if parts else "", unit.text]
    return "".join([*parts, f"\n{frame.tail}" if frame and frame.tail else ""]).strip("\n")
