"""Choosing the units that answer a question, by the words that they share with it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nodes.language import language
from nodes.offline.request import Source
from nodes.offline.units import Unit, units
from nodes.words import features

MAX_POINTS = 4
"""Points of an answer to one question."""
MAX_STEPS = 8
"""Steps of a procedure that are quoted together."""

_SECTION_WEIGHT = 0.5
_RANK_WEIGHT = 0.25
_HINT_WEIGHT = 0.15
_CONTEXT_WEIGHT = 0.3
_STOP_BELOW = 0.5
_RELATED_FROM = 0.2

_ASKS_NUMBER = re.compile(
    r"多少|多久|多长|多大|几|何时|什么时候|\bhow (?:many|much|long|often|big|old|far)\b|\bwhen\b",
    re.IGNORECASE,
)
_SPEAKS_OF_ITSELF = re.compile(
    r"本[文页节章]|\b(?:this|the following) (?:article|page|section|guide|chapter)\b", re.IGNORECASE
)
_HAS_NUMBER = re.compile(r"\d|[一二两三四五六七八九十百千万]+(?:个|名|天|日|月|年|次|元|小时|分钟|周)")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A unit with its score; scores compare within one question only."""

    unit: Unit
    score: float


def extract(query: str, sources: Sequence[Source], context: str = "") -> list[Unit]:
    """Choose the units that answer a query, best first, the steps of a procedure in their order.

    Args:
        query: the question in full, or what was searched for.
        sources: the passages found, best first.
        context: what else is known of the user, such as recalled memories; it only tips the balance.

    Returns:
        At most `MAX_POINTS` units, or the steps of one procedure; none when no passage is related.
    """
    ranked = rank(query, sources, context)
    if not ranked or not related(query, sources):
        return []
    if ranked[0].unit.step:
        return _procedure(ranked[0].unit, ranked)
    return [r.unit for r in _cover(features(query), ranked)]


def related(query: str, sources: Sequence[Source]) -> bool:
    """Tell whether the passages share enough of a query's words to speak of the same thing.

    In another language than the passages nothing but names and codes is shared: the search, which
    compares meanings, is then trusted.
    """
    if not sources:
        return False
    if language(query) != language(sources[0].text):
        return True
    asked = features(query)
    seen = [features(f"{s.section}\n{s.text}") for s in sources]
    weight = _idf(asked, seen)
    return not asked or max(_share(asked, s, weight) for s in seen) >= _RELATED_FROM


def rank(query: str, sources: Sequence[Source], context: str = "") -> list[Ranked]:
    """Order all units of the passages by how well they answer a query.

    The score is the share of the query's words, weighted by inverse document frequency over the
    units at hand, that the unit holds, plus what its headings hold, its passage's rank and whether
    it has a number where one is asked for.
    """
    found = [u for n, s in enumerate(sources) for u in units(s, n) if _says_something(u.text)]
    asked, known = features(query), features(context)
    texts = [features(f"{u.lead} {u.text}") for u in found]
    weight = _idf(asked | known, texts)
    hint = _HINT_WEIGHT if _ASKS_NUMBER.search(query) else 0.0
    scored = [
        Ranked(
            u,
            _share(asked, text, weight)
            + _SECTION_WEIGHT * _share(asked, features(u.source.section), weight)
            + _CONTEXT_WEIGHT * _share(known - asked, text, weight)
            + _RANK_WEIGHT / (1 + u.rank)
            + hint * bool(_HAS_NUMBER.search(u.text)),
        )
        for u, text in zip(found, texts, strict=True)
    ]
    return sorted(scored, key=lambda r: (-r.score, r.unit.rank, r.unit.place))


def _says_something(text: str) -> bool:
    """Tell a statement from a sentence that only introduces a list or describes the article."""
    return not text.endswith((":", "：")) and not _SPEAKS_OF_ITSELF.search(text)


def _idf(terms: Iterable[str], texts: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """Weigh terms by log(1 + N / (1 + df)), so that one which no text holds weighs most."""
    counts = Counter(t for text in texts for t in text)
    return {t: math.log(1 + len(texts) / (1 + counts[t])) for t in terms}


def _share(asked: frozenset[str], text: frozenset[str], weight: Mapping[str, float]) -> float:
    total = sum(weight[t] for t in sorted(asked))
    return sum(weight[t] for t in sorted(asked & text)) / total if total else 0.0


def _procedure(best: Unit, ranked: Sequence[Ranked]) -> list[Unit]:
    """Return the ordered list around a step, whole, because half a procedure helps nobody."""
    steps = sorted(
        (r.unit for r in ranked if r.unit.source == best.source and r.unit.step), key=lambda u: u.place
    )
    at = steps.index(best)
    first = next(n for n in range(at, -1, -1) if steps[n].step == 1 or n == 0)
    last = next((n for n in range(at + 1, len(steps)) if steps[n].step == 1), len(steps))
    return steps[first:last][:MAX_STEPS]


def _cover(asked: frozenset[str], ranked: Sequence[Ranked]) -> list[Ranked]:
    """Take units while each is good enough by itself, those first that say what is not said yet."""
    chosen: list[Ranked] = []
    said: set[str] = set()
    rest = list(ranked)
    while rest and len(chosen) < MAX_POINTS:
        best = max(
            rest, key=lambda r: r.score * (1 if not chosen or (features(r.unit.text) & asked) - said else 0.8)
        )
        if chosen and best.score < _STOP_BELOW * chosen[0].score:
            break
        rest.remove(best)
        if not _repeats(best.unit, chosen):
            chosen.append(best)
            said |= features(best.unit.text) & asked
    return chosen


def _repeats(unit: Unit, chosen: Sequence[Ranked]) -> bool:
    """Tell whether a unit says hardly anything that a chosen one does not say."""
    new = features(unit.text)
    return any(len(new - features(c.unit.text)) <= len(new) // 5 for c in chosen)
