"""Choosing what answers a question: whole paragraphs, lists and tables of the passages, as far as there is room."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, zip_longest

from nodes.offline.request import Source
from nodes.offline.scoring import Nearness, Scored, related, score, unrelated_meaning
from nodes.offline.units import Unit, introduces
from nodes.window.tokens import estimate_tokens
from nodes.words import features

ONE_QUESTION = 320
"""Tokens that are quoted when one question was asked."""
OF_SEVERAL = 190
"""The same for each of several questions."""

_GOOD_ENOUGH = 0.5
"""A block is left out below this part of the best one's score."""
_LENGTHY = 0.002
"""What a token of a block takes off its score: of 83 tuning questions as many are answered in full, in 5 % fewer words."""
_OVERFULL = 1.5
"""The best block is quoted whole up to this part of the room: half a procedure helps nobody."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, a list, a table or a piece of code: its units in their order, each with its score."""

    units: tuple[tuple[float, Unit], ...]

    @property
    def score(self) -> float:
        return max(value for value, _ in self.units)

    @property
    def worth(self) -> float:
        """What it is ranked by: a long block has to be so much better, for it leaves no room for others."""
        return self.score - _LENGTHY * sum(_tokens(unit) for _, unit in self.units)

    @property
    def is_procedure(self) -> bool:
        return any(unit.step for _, unit in self.units)


def extract(
    query: str,
    sources: Sequence[Source],
    asked: str = "",
    known: str = "",
    near: Nearness = unrelated_meaning,
    room: int = ONE_QUESTION,
    told: str = "",
) -> list[Unit]:
    """Choose the units that answer a query: the best blocks, each whole where it fits, else its best part.

    Args:
        query: the question in full, or what was searched for.
        sources: the passages found, best first.
        asked: the user's own words for it, which count more than what the conversation added to them.
        known: what else is known of the user, such as recalled memories; it only tips the balance.
        near: nearness in meaning.
        room: tokens that may be quoted.
        told: what earlier questions were answered with; it is not quoted again where there is something else.

    Returns:
        The units, passage by passage in their order, but the best block first; none when no passage is related.
    """
    found = [*_blocks(score(query, sources, asked, known, near))]
    if not found or not related(query, sources, near):
        return []
    blocks = sorted(_news(found, told) or found, key=lambda block: -block.worth)
    best = max(blocks, key=lambda block: block.score)
    chosen: list[Unit] = []
    left = room
    for block in blocks:
        if block.score >= _GOOD_ENOUGH * best.score:
            fitting = _fitting(block, left if chosen else round(left * _OVERFULL), chosen)
            chosen += fitting
            left -= sum(_tokens(unit) for unit in fitting)
    lead = best.units[0][1]
    order = list(dict.fromkeys([lead.source.id, *(unit.source.id for unit in chosen)]))
    chosen.sort(key=lambda u: (order.index(u.source.id), u.block != lead.block, u.place))
    return [unit for unit, after in zip_longest(chosen, chosen[1:]) if not _in_vain(unit, after)]


def _blocks(passages: Sequence[Scored]) -> Iterator[_Block]:
    for passage in passages:
        for _, group in groupby(passage.units, key=lambda scored: scored[1].block):
            units = [*group]
            most = max(value for value, _ in units)
            least = min(most, passage.score + _GOOD_ENOUGH * (most - passage.score))
            yield _Block(tuple((v, u) for v, u in units if u.kind != "row" or v >= least))


def _news(blocks: Sequence[_Block], told: str) -> list[_Block]:
    """Return the blocks without what was told; one of which nothing is left is no block."""
    left = (
        replace(block, units=tuple((value, unit) for value, unit in block.units if unit.text not in told))
        for block in blocks
    )
    return [block for block in left if block.units]


def _fitting(block: _Block, room: int, said: Sequence[Unit]) -> list[Unit]:
    """Return what of a block was not said yet, the best units first, as far as there is room.

    No step of a procedure is left out; one that does not fit is quoted from its beginning only if nothing else is.
    """
    if block.is_procedure:
        units = [unit for _, unit in block.units]
    else:
        ranked = sorted(block.units, key=lambda scored: -scored[0])
        units = [unit for _, unit in ranked if not _repeats(unit, said)]
    fitting = [
        unit for unit, taken in zip(units, accumulate(map(_tokens, units)), strict=True) if taken <= room
    ]
    return [] if block.is_procedure and said and len(fitting) < len(units) else fitting


def _in_vain(unit: Unit, after: Unit | None) -> bool:
    """Tell a sentence that introduces something which is not quoted."""
    return introduces(unit.text) and (
        after is None or (unit.source.id, unit.block) != (after.source.id, after.block)
    )


def _tokens(unit: Unit) -> int:
    return estimate_tokens(unit.text)


def _repeats(unit: Unit, said: Sequence[Unit]) -> bool:
    """Tell whether a unit says hardly anything that was not said."""
    new = features(unit.text)
    return any(len(new - features(other.text)) <= len(new) // 5 for other in said)
