"""How well passages and their units answer a question: shared words, nearness in meaning, the search's order."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from nodes.intents import means
from nodes.language import language
from nodes.offline.request import Source
from nodes.offline.units import Unit, introduces, units
from nodes.words import atoms, content_words, features

Nearness = Callable[[str, str], float]
"""Cosine of two texts' meanings; 0 for everything where no embedder is at hand."""

_RANK_WEIGHT = 0.5
_SECTION_WEIGHT = 1.0
_NUMBER_WEIGHT = 0.15
_TABLE_WEIGHT = 0.3
_KNOWN_WEIGHT = 0.3
_OWN_WEIGHT = 8.0
_RELATED_SHARE = 0.25
_RELATED_NEARNESS = 0.3
_COVERED_SHARE = 1 / 2
_COVERED_NEARNESS = 0.26
_STANDS_OUT = 0.115

_ASKS_NUMBER = re.compile(
    r"多少|多久|多长|多大|几|何时|什么时候|\bhow (?:many|much|long|often|big|old|far)\b|\bwhen\b",
    re.IGNORECASE,
)
_HAS_NUMBER = re.compile(r"\d|[一二两三四五六七八九十百千万]+(?:个|名|天|日|月|年|次|元|小时|分钟|周)")
_SPEAKS_OF_ITSELF = re.compile(
    r"本[文页节章]|\b(?:this|the following) (?:article|page|section|guide|chapter)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its score and its units with theirs; scores compare within one question only."""

    source: Source
    score: float
    units: tuple[tuple[float, Unit], ...]


def unrelated_meaning(_one: str, _other: str) -> float:
    """Be the nearness of texts when meanings cannot be compared."""
    return 0.0


def related(query: str, sources: Sequence[Source], near: Nearness = unrelated_meaning) -> bool:
    """Tell whether the passages speak of what the query names at all.

    A low bar on purpose: how sure a search is, is for the search to say, which knows the whole collection.

    Args:
        query: what was searched for.
        sources: what was found.
        near: nearness in meaning, for queries in other words.
    """
    asked = atoms(query)
    if not asked or not sources or language(query) != language(sources[0].text):
        return bool(sources)  # in another language only names are shared: the search is trusted
    return any(
        len(asked & atoms(f"{s.section}\n{s.text}")) >= _RELATED_SHARE * len(asked)
        or near(query, s.section) >= _RELATED_NEARNESS
        or any(near(query, u.text) >= _RELATED_NEARNESS for u in units(s, 0))
        for s in sources
    )


def covered(query: str, sources: Sequence[Source], near: Nearness = unrelated_meaning) -> bool:
    """Tell whether passages that match only weakly speak of what the query names.

    More than half of its content words occur in them, or one unit is near in meaning and stands out: some questions
    are a little near to everything, so the nearest unit is held against the median. Of 282 tuning questions with an
    answer 4 % are refused by this bar and the one of the search, of 165 without one 37 %. Where question and passages
    are in two languages no word occurs, and meaning alone can tell.

    Args:
        query: what was searched for.
        sources: what was found.
        near: nearness in meaning, for queries in other words.
    """
    asked = {*content_words(query)}
    said = {word for s in sources for word in content_words(f"{s.section}\n{s.text}")}
    if len(asked & said) > _COVERED_SHARE * len(asked):
        return True
    nearness = [near(query, u.text) for s in sources for u in units(s, 0)]
    nearest = max(nearness, default=0.0)
    return nearest >= _COVERED_NEARNESS and nearest - median(nearness) >= _STANDS_OUT


def score(
    query: str,
    sources: Sequence[Source],
    asked: str = "",
    known: str = "",
    near: Nearness = unrelated_meaning,
) -> list[Scored]:
    """Score passages and their units for a query, the best passage first.

    A text's share is the part of the query's words that it holds, each weighing its inverse document
    frequency over the texts at hand. A passage scores by its share, its heading's share, its nearness in
    meaning and its rank in the search; a unit by its own share and nearness, and by its passage.

    Args:
        query: the question in full.
        sources: the passages found, best first.
        asked: the user's own words for it, which count more than what the conversation added to them.
        known: what else is known of the user; it only tips the balance between units.
        near: nearness in meaning.
    """
    own = features(asked) & features(query)
    listed = [[u for u in units(s, n) if _is_answer(u)] for n, s in enumerate(sources)]
    texts = [features(f"{u.heading} {u.lead} {u.text}") for found in listed for u in found]
    unit_weight = idf(features(query) | features(known), texts, own)
    passage_weight = idf(features(query), [features(f"{s.section}\n{s.text}") for s in sources], own)
    scored = [
        _score_passage(n, s, found, query, passage_weight, near)
        for n, (s, found) in enumerate(zip(sources, listed, strict=True))
    ]
    return sorted(
        (
            Scored(
                s, total, tuple((total + _score_unit(u, query, known, unit_weight, near), u) for u in found)
            )
            for s, total, found in zip(sources, scored, listed, strict=True)
        ),
        key=lambda scored: -scored.score,
    )


def _is_answer(unit: Unit) -> bool:
    return unit.kind != "label" and not _SPEAKS_OF_ITSELF.search(unit.text)


def idf(
    terms: Iterable[str], texts: Sequence[frozenset[str]], own: frozenset[str] = frozenset()
) -> Mapping[str, float]:
    """Weigh terms by log(1 + N / (1 + df)), so that one which no text holds weighs most; the user's own by more."""
    counts = Counter(t for text in texts for t in text)
    return {t: math.log(1 + len(texts) / (1 + counts[t])) * (_OWN_WEIGHT if t in own else 1.0) for t in terms}


def share(asked: frozenset[str], text: frozenset[str], weight: Mapping[str, float]) -> float:
    """Return the part of the asked terms, by weight, that a text holds."""
    total = sum(weight[t] for t in sorted(asked))
    return sum(weight[t] for t in sorted(asked & text)) / total if total else 0.0


def _score_passage(
    rank: int, source: Source, found: Sequence[Unit], query: str, weight: Mapping[str, float], near: Nearness
) -> float:
    asked = features(query)
    nearest = max((near(query, u.text) for u in found), default=0.0)
    return (
        share(asked, features(f"{source.section}\n{source.text}"), weight)
        + _SECTION_WEIGHT * share(asked, features(source.section), weight)
        + (nearest + near(query, source.section)) / 2
        + _RANK_WEIGHT / (1 + rank)
    )


def _score_unit(unit: Unit, query: str, known: str, weight: Mapping[str, float], near: Nearness) -> float:
    if introduces(unit.text):
        return 0.0
    asked, text = features(query), features(f"{unit.heading} {unit.lead} {unit.text}")
    counts = bool(_ASKS_NUMBER.search(query) and _HAS_NUMBER.search(unit.text))
    compared = unit.kind == "row" and means(query, "comparison")
    return (
        share(asked, text, weight)
        + near(query, unit.text)
        + _KNOWN_WEIGHT * share(features(known) - asked, text, weight)
        + _NUMBER_WEIGHT * counts
        + _TABLE_WEIGHT * compared
    )
