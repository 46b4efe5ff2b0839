"""What it costs to put the whole help centre into the prompt instead of searching it."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from evals.intervals import Metric, metric
from nodes.window.tokens import estimate_tokens

PRICES = (0.1, 0.02)
"""What a cached input token costs, an uncached one being 1."""


def stuffed(bodies: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return tokens and cost of a turn whose prefix holds every article, the prefix being cached but for the first.

    Args:
        bodies: Markdown of the articles.
        rows: the same turns under another policy, whose answers' length is taken.
    """
    prefix = sum(map(estimate_tokens, bodies))
    own = [estimate_tokens(row["question"]) + estimate_tokens(row["answer"]) for row in rows]
    found = {
        "stuffed.model_calls": metric(1, len(rows)),
        "stuffed.tokens": metric(prefix + mean(own), len(rows)),
    }
    for price in PRICES:
        cost = [prefix * (1 if n == 0 else price) + each for n, each in enumerate(own)]
        found[f"stuffed.cost@{price}"] = metric(mean(cost), len(rows))
    return found
