"""A figure with its n and its 95 % interval: the one place where intervals are made."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np

from nodes.window.summary import percentile

__all__ = ["ROUNDS", "Metric", "average", "bootstrap", "metric", "percentile", "share", "wilson"]
Metric = dict[str, Any]
"""``value``, ``n``, and the ends ``low`` and ``high`` of its 95 % interval, none where there is no sample."""
ROUNDS = 2_000


def metric(value: float, n: int, *, rate: bool = False) -> Metric:
    """Return a figure with its n, and for a rate its 95 % interval (Wilson, 1927)."""
    low, high = wilson(value, n) if rate else (None, None)
    return {"value": round(value, 4), "low": low, "high": high, "n": n}


def share(flags: Sequence[bool]) -> Metric:
    """Return how many of the cases are true, as a rate with its interval; at least one case."""
    return metric(sum(flags) / len(flags), len(flags), rate=True)


def average(values: Sequence[float]) -> Metric:
    """Return the mean of the cases with its interval; at least one case."""
    low, high = bootstrap(values)
    return {"value": round(float(np.mean(values)), 4), "low": low, "high": high, "n": len(values)}


def wilson(value: float, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a rate over n cases (Wilson, 1927)."""
    z = 1.96
    middle, half = value + z**2 / (2 * n), z * sqrt(value * (1 - value) / n + z**2 / (4 * n**2))
    low, high = (middle - half) / (1 + z**2 / n), (middle + half) / (1 + z**2 / n)
    return round(max(0.0, low), 4), round(min(1.0, high), 4)


def bootstrap(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean over resampled cases (Efron, 1979)."""
    sample = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(seed).integers(len(sample), size=(ROUNDS, len(sample)))
    low, high = np.quantile(sample[drawn].mean(axis=1), (0.025, 0.975))
    return round(float(low), 4), round(float(high), 4)
