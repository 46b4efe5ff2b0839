"""Choosing the units that answer a question: most from the best passage, a few from the next."""

from collections.abc import Sequence

from nodes.offline.request import Source
from nodes.offline.scoring import Nearness, Scored, related, score, unrelated_meaning
from nodes.offline.units import Unit
from nodes.words import features

ONE_QUESTION = (4, 2, 1)
"""Points from the best passage, the second and the third, when one question was asked."""
OF_SEVERAL = (3, 1)
"""The same for each of several questions."""
MAX_STEPS = 8
"""Steps of a procedure that are quoted together."""

_GOOD_ENOUGH = 0.6
"""A unit is left out below this part of the best one's score."""


def extract(
    query: str,
    sources: Sequence[Source],
    known: str = "",
    near: Nearness = unrelated_meaning,
    points: Sequence[int] = ONE_QUESTION,
) -> list[Unit]:
    """Choose the units that answer a query: the best passage's first, of each the best unit first.

    Args:
        query: the question in full, or what was searched for.
        sources: the passages found, best first.
        known: what else is known of the user, such as recalled memories; it only tips the balance.
        near: nearness in meaning.
        points: most units from the best passage, the second, and so on.

    Returns:
        The units; none when no passage is related.
    """
    if not related(query, sources, near):
        return []
    passages = score(query, sources, known, near)
    best = max((value for p in passages for value, _ in p.units), default=0.0)
    chosen: list[Unit] = []
    for passage, most in zip(passages, points, strict=False):
        chosen += _choose(passage, most, _GOOD_ENOUGH * best, chosen)
    return chosen


def _choose(passage: Scored, most: int, least: float, said: Sequence[Unit]) -> list[Unit]:
    """Return a passage's best unit, then its others in their order; for a step the whole procedure."""
    ranked = sorted(passage.units, key=lambda scored: (-scored[0], scored[1].place))
    fresh: list[Unit] = []
    for value, unit in ranked:
        if value >= least and len(fresh) < most and not _repeats(unit, [*said, *fresh]):
            fresh.append(unit)
    points = [*fresh[:1], *sorted(fresh[1:], key=lambda unit: unit.place)]
    steps = [unit for unit in fresh if unit.step]
    if not steps or said:
        return points
    return [*(u for u in points if not u.step), *_procedure(steps[0], [unit for _, unit in passage.units])]


def _procedure(step: Unit, found: Sequence[Unit]) -> list[Unit]:
    """Return the ordered list around a step, whole, because half a procedure helps nobody."""
    steps = sorted((u for u in found if u.step), key=lambda u: u.place)
    at = steps.index(step)
    first = next(n for n in range(at, -1, -1) if steps[n].step == 1 or n == 0)
    last = next((n for n in range(at + 1, len(steps)) if steps[n].step <= steps[n - 1].step), len(steps))
    return steps[first:last][:MAX_STEPS]


def _repeats(unit: Unit, said: Sequence[Unit]) -> bool:
    """Tell whether a unit says hardly anything that was not said."""
    new = features(unit.text)
    return any(len(new - features(other.text)) <= len(new) // 5 for other in said)
