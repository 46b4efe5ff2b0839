"""Passages that say the same: copies leave the ranking, older versions move behind newer ones."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from store.legs import Candidate, Ranking

_COPY = 0.9
"""Jaccard similarity of shingles from which a passage is a copy."""

_SHINGLE = 5


def without_copies(ranking: Ranking, k: int) -> Ranking:
    """Return the best passages of which none repeats a better one, newest versions first.

    Args:
        ranking: candidates with their scores, best first.
        k: most passages.
    """
    kept: Ranking = []
    seen: list[frozenset[str]] = []
    for candidate, score in newest_first(ranking):
        if len(kept) == k:
            break
        shingles = _shingles(candidate.text)
        if not any(_jaccard(shingles, other) >= _COPY for other in seen):
            kept.append((candidate, score))
            seen.append(shingles)
    return kept


def newest_first(ranking: Ranking) -> Ranking:
    """Among passages under the same headings in different documents, put current and newer ones first.

    They share the places that they hold in the ranking, and the scores that belong to the places.
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (candidate, _) in enumerate(ranking):
        places[candidate.title, candidate.section].append(place)
    ordered = list(ranking)
    for held in places.values():
        versions = _newest_first([ranking[place][0] for place in held])
        for place, candidate in zip(held, versions, strict=True):
            ordered[place] = (candidate, ranking[place][1])
    return ordered


def _newest_first(versions: Sequence[Candidate]) -> list[Candidate]:
    """Sort stably: by date when every version has one, deprecated ones last."""
    ordered = list(versions)
    if all(version.updated for version in ordered):
        ordered.sort(key=lambda version: version.updated or date.min, reverse=True)
    return sorted(ordered, key=lambda version: version.deprecated)


def _shingles(text: str) -> frozenset[str]:
    """Return the text's overlapping pieces of a few characters, white space left out."""
    letters = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return frozenset(letters[i : i + _SHINGLE] for i in range(max(1, len(letters) - _SHINGLE + 1)))


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b)
