"""What the calls of a thread come to: size, cache, cost, and how many steps still fit."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import ceil
from statistics import mean
from typing import Any

from nodes.window.account import SPLIT, WARN
from nodes.window.budget import Budget

Record = Mapping[str, Any]
"""A `CallRecord` as plain values."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The calls of a thread, in tokens unless a name says otherwise."""

    calls: int
    moves: int
    mean_tokens: float
    p95_tokens: int
    max_tokens: int
    watermark_p50: float
    watermark_p95: float
    hit_ratio: float
    """Cached tokens of all tokens, as reported where the provider reports them, else as predicted."""
    breaks: int
    rewritten: int
    """Tokens that a prefix lost."""
    cost: float
    """Uncached input and, at the budget's price, cached input."""
    notes_accepted: int
    notes_dropped: int
    replays: int
    growth: float
    """Tokens that a step adds: k of `Budget.capacity`."""
    steps_left: int
    """Steps until the window would be full if nothing left it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        return asdict(self)

    @property
    def warning(self) -> str:
        """What a watermark above 0.7 or 0.85 says; empty below."""
        if self.watermark_p95 > SPLIT:
            return f"watermark P95 {self.watermark_p95:.2f}: the task should be split"
        over = self.watermark_p95 > WARN
        return f"watermark P95 {self.watermark_p95:.2f}: the window is filling up" if over else ""


def summary(records: Sequence[Record], budget: Budget) -> Summary:
    """Sum up a thread's calls.

    Args:
        records: the calls, oldest first; at least one.
        budget: says what fits and what a cached token costs.
    """
    sizes = [size_of(record) for record in records]
    hits = [cached_of(record) for record in records]
    grown = [after - before for before, after in pairwise(sizes) if after > before]
    growth = mean(grown) if grown else 0.0
    marks = [record["watermark"] for record in records]
    return Summary(
        calls=len(records),
        moves=records[-1]["moves"],
        mean_tokens=mean(sizes),
        p95_tokens=int(percentile(sizes, 0.95)),
        max_tokens=max(sizes),
        watermark_p50=percentile(marks, 0.5),
        watermark_p95=percentile(marks, 0.95),
        hit_ratio=sum(hits) / max(1, sum(sizes)),
        breaks=sum(record["broke"] for record in records),
        rewritten=sum(record["lost"] for record in records),
        cost=sum(size - (1 - budget.cache_price) * hit for size, hit in zip(sizes, hits, strict=True)),
        notes_accepted=sum(record["notes_accepted"] for record in records),
        notes_dropped=sum(record["notes_dropped"] for record in records),
        replays=records[-1]["replays"],
        growth=growth,
        steps_left=budget.capacity(sizes[-1], growth),
    )


def size_of(record: Record) -> int:
    """Return the input tokens of a call, as reported if they were."""
    return int(record["estimated"] if record["actual"] is None else record["actual"])


def cached_of(record: Record) -> int:
    """Return the cached tokens of a call, as reported if they were."""
    reported = record["cached_reported"]
    return int(record["cached_predicted"] if reported is None else reported)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least a share of the values do not exceed (nearest rank); at least one value."""
    ordered = sorted(values)
    rank = ceil(share * len(ordered) - 1e-9)  # 0.07 * 100 is a little more than 7
    return ordered[max(rank, 1) - 1]
