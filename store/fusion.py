"""Fusing the legs of the search: one ranking from the lexical and the dense one."""

from collections.abc import Mapping, Sequence


def convex_combination(legs: Sequence[Mapping[str, float]], weights: Sequence[float]) -> dict[str, float]:
    """Add the legs' scores, each scaled to 0..1 within its leg (Bruch, Gai and Ingber 2023).

    Args:
        legs: one mapping of id to score a leg; an id that a leg did not find gets its 0.
        weights: one weight a leg; their sum is the greatest possible score.

    Returns:
        Score by id, best first.
    """
    fused: dict[str, float] = {}
    for leg, weight in zip(legs, weights, strict=True):
        for key, score in _scaled(leg).items():
            fused[key] = fused.get(key, 0.0) + weight * score
    return dict(sorted(fused.items(), key=lambda item: (-item[1], item[0])))


def _scaled(leg: Mapping[str, float]) -> dict[str, float]:
    low, high = min(leg.values(), default=0.0), max(leg.values(), default=0.0)
    if high <= low:
        return dict.fromkeys(leg, 1.0)
    return {key: (score - low) / (high - low) for key, score in leg.items()}
