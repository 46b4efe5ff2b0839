"""The budget of a window: one hard bound, two marks below it, and a cap for each zone."""

from dataclasses import dataclass, field, fields, replace
from typing import Self


class BudgetError(ValueError):
    """The budget contradicts itself, or what may never be cut does not fit it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a call may hold, in tokens unless a name says otherwise.

    Every field carries its meaning and the reason for its default in ``metadata``; :func:`describe` lists them.

    Raises:
        BudgetError: the marks or the caps contradict each other; the message names the values.
    """

    window: int = field(
        default=128_000,
        metadata={"meaning": "the model's context window", "reason": "what current hosted models offer"},
    )
    reserve: int = field(
        default=8_000,
        metadata={
            "meaning": "kept free for the answer, taken off first",
            "reason": "a long answer with room",
        },
    )
    high: int = field(
        default=0,
        metadata={
            "meaning": "the plan moves above it",
            "reason": "32,000, or three quarters of a smaller limit: the lot size at which rewriting and re-reading cost the same stays far below the window",
        },
    )
    low: int = field(
        default=0,
        metadata={
            "meaning": "a move stops below it",
            "reason": "5/32 of high: 4 % cheaper than a quarter over 200 turns; above a third moves come too often",
        },
    )
    cache_price: float = field(
        default=0.1,
        metadata={
            "meaning": "price of a cached input token, of an uncached one's",
            "reason": "usual in 2026",
        },
    )
    result_tokens: int = field(
        default=1_200,
        metadata={
            "meaning": "a tool result enters with at most this, the rest behind its handle",
            "reason": "five passages or one record; more is read on demand",
        },
    )
    replay_tokens: int = field(
        default=4_600,
        metadata={
            "meaning": "what a replay tool returns enters with at most this",
            "reason": "three excerpts of 1,500 Chinese characters",
        },
    )
    min_chars: int = field(
        default=200,
        metadata={"meaning": "shorter results are not cleared", "reason": "the stub is hardly shorter"},
    )
    keep_groups: int = field(
        default=6,
        metadata={
            "meaning": "groups of calls and results of the newest turn that stay in full",
            "reason": "what a loop of six steps is working with",
        },
    )
    older_turns: int = field(
        default=1,
        metadata={
            "meaning": "older turns that stay in a move, results cleared",
            "reason": "what 'that' and 'it' refer to; three whole turns cost as much as no management",
        },
    )
    notes_chars: int = field(
        default=1_200,
        metadata={"meaning": "characters of the notes", "reason": "a page that is read at every call"},
    )
    memory_chars: int = field(
        default=800,
        metadata={"meaning": "characters of recalled memories", "reason": "five memories of two lines"},
    )
    user_tokens: int = field(
        default=600,
        metadata={"meaning": "tokens of the user zone", "reason": "all preferences and five profile items"},
    )
    clear_early: bool = field(
        default=False,
        metadata={
            "meaning": "clear a turn's results as soon as it is over, where that pays at the cache price",
            "reason": "11–17 % cheaper and fewer compactions, but a prefix break at most turns, "
            "and a follow-up no longer sees the last results",
        },
    )
    summarise: bool = field(
        default=True,
        metadata={
            "meaning": "write notes about what leaves",
            "reason": "a model that is not told what it lost believes that it never happened",
        },
    )

    def __post_init__(self) -> None:
        if not 0 <= self.reserve < self.window:
            raise BudgetError(
                f"reserve={self.reserve} must lie in 0 … window={self.window}; lower the reserve."
            )
        self._derive("high", min(32_000, self.limit * 3 // 4))
        self._derive("low", self.high * 5 // 32)
        if not 0 < self.high <= self.limit:
            raise BudgetError(f"high={self.high} must lie in 1 … window − reserve={self.limit}; lower high.")
        if not 0 < self.low <= self.high // 3:
            raise BudgetError(
                f"low={self.low} must lie in 1 … high/3={self.high // 3}; lower low or raise high."
            )
        if not 0 <= self.cache_price <= 1:
            raise BudgetError(f"cache_price={self.cache_price} must lie in 0 … 1.")
        caps = (
            "result_tokens",
            "replay_tokens",
            "min_chars",
            "keep_groups",
            "older_turns",
            "notes_chars",
            "memory_chars",
        )
        for name in (*caps, "user_tokens"):
            if getattr(self, name) < 0:
                raise BudgetError(f"{name}={getattr(self, name)} must not be negative.")

    def _derive(self, name: str, value: int) -> None:
        """Give a mark that was left at 0 its value."""
        if getattr(self, name) == 0:
            object.__setattr__(self, name, max(1, value))

    @property
    def limit(self) -> int:
        """The hard bound of a call: the window less the output reserve."""
        return self.window - self.reserve

    @property
    def ledger_tokens(self) -> int:
        """The ledger's high mark: a third of the window's."""
        return self.high // 3

    def capacity(self, fixed: int, growth: float, usable: float | None = None) -> int:
        """Return how many steps a task may take in all before the window is full.

        N = (W·α − F) / k.

        Args:
            fixed: F, tokens of the zones that never change.
            growth: k, the measured tokens that a step adds.
            usable: α, the usable share of the window; (window − reserve) / window by default.
        """
        room = (self.limit if usable is None else self.window * usable) - fixed
        return max(0, int(room / max(growth, 1)))

    def smaller(self, factor: float = 0.75) -> Self:
        """Return the budget for the one repetition after a provider said that a request was too long."""
        room = int(self.limit * factor)
        high = max(3, min(int(self.high * factor), room))
        return replace(self, window=room + self.reserve, high=high, low=max(1, min(self.low, high // 3)))


def describe(budget: Budget) -> list[tuple[str, object, str, str]]:
    """Return name, value, meaning and the default's reason of every field."""
    return [
        (f.name, getattr(budget, f.name), f.metadata["meaning"], f.metadata["reason"]) for f in fields(budget)
    ]
