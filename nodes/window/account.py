"""Accounting: what a call's window held, what of it was cached, what broke the prefix and why."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage

from nodes.window.advance import Scene
from nodes.window.clear import REPLAY_TOOLS
from nodes.window.compaction import Compaction
from nodes.window.plan import WindowPlan, shown
from nodes.window.prefix import common_prefix
from nodes.window.render import Window

WARN, SPLIT = 0.7, 0.85
BREAK = 0.1
"""A call breaks the prefix when it loses more than this share of the request before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One model call, in tokens unless a name says otherwise."""

    turn: int
    sent: int
    """Messages that the log had: with the plan of that time the call can be rebuilt."""
    moves: int
    """Moves of the plan so far."""
    estimated: int
    zones: Mapping[str, int]
    """Estimated tokens by zone."""
    limit: int
    """The budget."""
    high: int
    """Where the plan moves."""
    watermark: float
    """Tokens of the call divided by the budget."""
    cached_predicted: int
    """What the request has in common with the one before it."""
    lost: int = 0
    """Tokens of the request before it that are no longer its prefix: what the move, or the change, rewrote."""
    freed: int = 0
    """Tokens by which a move made the request smaller."""
    broke: bool = False
    cause: str = ""
    """What changed the prefix: clear, trim, degrade, late result, prompt; empty if nothing did."""
    actual: int | None = None
    zones_actual: Mapping[str, int] = field(default_factory=dict)
    cached_reported: int | None = None
    latency_ms: float | None = None
    replays: int = 0
    """Replay results that the window holds."""
    notes_accepted: int = 0
    notes_dropped: int = 0
    notes_failure: str = ""

    @property
    def warning(self) -> str:
        """What a watermark above 0.7 or 0.85 says; empty below."""
        if self.watermark > SPLIT:
            return f"watermark {self.watermark:.2f}: the task should be split"
        return f"watermark {self.watermark:.2f}: the window is filling up" if self.watermark > WARN else ""

    def reported(self, tokens: int, cached: int | None, latency_ms: float | None = None) -> "CallRecord":
        """Return the record with what the provider reported.

        The provider gives one sum; each zone's part of it is its part of the estimate.
        """
        scale = tokens / max(1, sum(self.zones.values()))
        return replace(
            self,
            actual=tokens,
            zones_actual={zone: round(size * scale) for zone, size in self.zones.items()},
            cached_reported=cached,
            watermark=tokens / self.limit,
            latency_ms=latency_ms,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON values."""
        return asdict(self)


def account(
    plan: WindowPlan,
    messages: Sequence[BaseMessage],
    scene: Scene,
    *,
    sent: tuple[WindowPlan, int] | None = None,
    compaction: Compaction | None = None,
) -> CallRecord:
    """Describe the call that is about to be made.

    Args:
        plan: the plan of the call.
        messages: the whole thread.
        scene: what the window is rendered in; its fronts still hold those of the call before.
        sent: plan and number of messages of the call before; None for the first.
        compaction: what came of writing notes before this call.
    """
    window = scene.window(plan, messages)
    before = scene.window(sent[0], messages[: sent[1]]) if sent else None
    size, estimator = scene.meter.request(window.counts), scene.meter.estimator
    old = scene.meter.request(before.counts) if before else 0
    cached = round(estimator.tokens(common_prefix(before, window))) if before else 0
    lost = max(0, old - cached)
    done = compaction or Compaction(plan)
    return CallRecord(
        turn=shown(plan, messages).last_turn,
        sent=len(messages),
        moves=plan.moves,
        estimated=size,
        zones={zone: max(0, round(estimator.tokens(counts))) for zone, counts in window.zones.items()},
        limit=scene.budget.limit,
        high=scene.budget.high,
        watermark=size / scene.budget.limit,
        cached_predicted=min(cached, size),
        lost=lost,
        freed=max(0, scene.size(sent[0], messages) - size) if sent and sent[0] != plan else 0,
        broke=lost > BREAK * old,
        cause=_cause(sent[0], plan, before, window) if sent and before and lost > BREAK * old else "",
        replays=sum(isinstance(m, ToolMessage) and m.name in REPLAY_TOOLS for m in window.messages),
        notes_accepted=done.accepted,
        notes_dropped=done.dropped,
        notes_failure=done.failure,
    )


def _cause(old: WindowPlan, new: WindowPlan, before: Window, after: Window) -> str:
    changes = {
        "trim": old.first != new.first,
        "degrade": not (
            new.omitted <= old.omitted and dict(new.shortened).items() <= dict(old.shortened).items()
        ),
        "clear": not new.cleared <= old.cleared,
        "user": old.user != new.user,
        "prompt": before.zones["fixed"] != after.zones["fixed"],
    }
    return " + ".join(name for name, happened in changes.items() if happened) or "late result"
