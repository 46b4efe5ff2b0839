"""Fusing the two legs of the search into one ranking."""

from collections.abc import Mapping

LEXICAL_WEIGHT = 0.37
"""Share of the lexical leg, the dense leg has the rest: chosen across three corpora, flat from 0.3 to 0.45."""


def fuse(lexical: Mapping[str, float], dense: Mapping[str, float]) -> dict[str, float]:
    """Combine the legs convexly (Bruch, Gai and Ingber 2023).

    A passage that the lexical leg lacks shares no term; one that the dense leg lacks is at most as near as the
    last that the leg found.

    Args:
        lexical: scores in 0..1 by id.
        dense: scores of about the same size by id.

    Returns:
        Score by id, best first.
    """
    least = min(dense.values(), default=0.0)
    fused = {
        key: LEXICAL_WEIGHT * lexical.get(key, 0.0) + (1 - LEXICAL_WEIGHT) * dense.get(key, least)
        for key in lexical.keys() | dense.keys()
    }
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Stretch scores to 0..1: for models whose cosines lie close together, at a place of their own."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}
