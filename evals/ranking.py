"""The figures of rankings: how often the right article or section stands among the first, and how high."""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import Any

from evals.intervals import Metric, metric, share
from evals.relevance import Gold, Piece, has_facts, is_article, is_section

CUTS = (1, 3, 5)
_DEEPEST = 10


def first_rank(
    pieces: Sequence[Piece], wanted: Sequence[Gold], right: Callable[[Piece, Gold], bool]
) -> int | None:
    """Return the rank, from 1, of the first piece that is right for any of the wanted sections."""
    return next((n for n, piece in enumerate(pieces, 1) if any(right(piece, one) for one in wanted)), None)


def row(question: Mapping[str, Any], pieces: Sequence[Piece], wanted: Sequence[Gold]) -> dict[str, Any]:
    """Return what one question got."""
    return {
        "id": question["id"],
        "art": first_rank(pieces, wanted, is_article),
        "sec": first_rank(pieces, wanted, is_section),
        "fact": has_facts(pieces, question) if question.get("must_contain") else None,
        "parts": [
            first_rank(pieces, [one for one in wanted if one.part == part], is_section)
            for part in sorted({one.part for one in wanted})
        ],
    }


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return hit rates at the cuts, mean reciprocal rank within 10 and the share with all facts."""
    if not rows:
        return {}
    found: dict[str, Metric] = {}
    for kind in ("art", "sec"):
        ranks = [each[kind] for each in rows]
        for cut in CUTS:
            found[f"{kind}@{cut}"] = share([rank is not None and rank <= cut for rank in ranks])
        reciprocal = mean(1 / rank if rank and rank <= _DEEPEST else 0.0 for rank in ranks)
        found[f"{kind}_mrr@10"] = metric(reciprocal, len(rows))
    facts = [each["fact"] for each in rows if each["fact"] is not None]
    if facts:
        found["fact"] = share(facts)
    return found


def both_parts(rows: Sequence[Mapping[str, Any]], cut: int = 5) -> Metric:
    """Return how often every part of a double question stands among the first."""
    return share([all(rank is not None and rank <= cut for rank in each["parts"]) for each in rows])


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return the chance that a positive value exceeds a negative one, ties counting half (Hanley, McNeil 1982)."""
    pairs = [(a > b) + 0.5 * (a == b) for a in positive for b in negative]
    return mean(pairs)


def reliability(
    positive: Sequence[float], negative: Sequence[float], bins: int = 5
) -> list[tuple[float, float]]:
    """Return (mean confidence, share of positives) of equally many cases each, in ascending order.

    Both classes weigh alike, as in the fit of the confidence.

    Args:
        positive: confidences of questions that have an answer.
        negative: those of questions that have none.
        bins: points of the curve.
    """
    cases = sorted(
        [(value, 1.0 / len(positive)) for value in positive] + [(value, 0.0) for value in negative]
    )
    points = []
    for place in range(bins):
        part = cases[place * len(cases) // bins : (place + 1) * len(cases) // bins]
        held = sum(weight for _, weight in part)
        none = sum(weight == 0 for _, weight in part) / len(negative)
        if part:
            points.append((mean(value for value, _ in part), held / (held + none)))
    return points
