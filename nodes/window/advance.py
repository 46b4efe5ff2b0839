"""The decision: whether the plan moves before a call, and how far."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from nodes.window.budget import Budget
from nodes.window.counts import Counts, lines_counts, total
from nodes.window.degrade import degrade
from nodes.window.estimator import Estimator, Meter
from nodes.window.log import Log
from nodes.window.moves import clear_results, open_move, trim_turns
from nodes.window.plan import WindowPlan, shown
from nodes.window.prefix import common_prefix
from nodes.window.render import Fixed, Window, render, turn_counts, warm_text
from nodes.window.shorten import first_lines

INSTRUCTION_TOKENS = 450
"""What the compaction call adds to the request before it: its instruction, not cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that a decision depends on beside the plan and the log."""

    budget: Budget
    fixed: Fixed
    user: str = ""
    """The user zone as it is now, the most important line first; the plan takes it over when it moves."""
    fronts: Mapping[str, str] = field(default_factory=dict)
    meter: Meter = field(default_factory=lambda: Meter(Estimator("unknown")))
    keep_tools: Collection[str] = ()

    def window(self, plan: WindowPlan, messages: Sequence[BaseMessage]) -> Window:
        """Render a plan in this scene."""
        return render(plan, messages, fixed=self.fixed, budget=self.budget, fronts=self.fronts)

    def after_overflow(self, refused: Window) -> "Scene":
        """Return the scene for the one repetition, one step smaller, after a provider found a request too long."""
        meter = self.meter.too_long(refused.counts, self.budget.limit)
        return replace(self, budget=self.budget.smaller(), meter=meter)

    def size(self, plan: WindowPlan, messages: Sequence[BaseMessage]) -> int:
        """Return the estimated tokens of a plan's request."""
        return self.meter.request(self.window(plan, messages).counts)


def advance(
    plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene, *, force: bool = False
) -> WindowPlan:
    """Return the plan of the next call: the same plan, unless it is time to move.

    A move clears, then trims until what stands in front of the turns that stay is under the low mark, then
    cuts inside the newest turn if that alone is too large.

    Args:
        plan: the thread's plan; a new thread's is `WindowPlan()`.
        messages: the whole thread, the newest question included.
        scene: budget, fixed zone, user zone, fronts and meter.
        force: move whatever the marks say, after a provider found the request too long.

    Raises:
        BudgetError: what may never be cut does not fit the budget.
        ValueError: the log holds no user message.
    """
    plan = open_plan(plan, scene)
    if force or due(plan, messages, scene):
        return move(plan, messages, scene)
    return clear_finished(plan, messages, scene) if scene.budget.clear_early else plan


def open_plan(plan: WindowPlan, scene: Scene) -> WindowPlan:
    """Return the plan with a user zone, which a new thread's takes from the scene before its first call."""
    if plan.opened:
        return plan
    return replace(plan, user=first_lines(scene.user, scene.budget.user_tokens), opened=True)


def clear_finished(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Return the plan with the results of finished turns cleared, at the start of a turn and if that pays."""
    if not isinstance(messages[-1], HumanMessage):
        return plan
    cleared = clear_results(plan, shown(plan, messages), scene.budget, scene.keep_tools)
    pays = cleared != plan and worth(plan, cleared, messages, scene)
    return cleared if pays else plan


def due(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> bool:
    """Tell whether the plan moves before the next call.

    It does when the request passes the high mark and the move is worth it at the provider's cache price, and
    when the request passes the hard limit.
    """
    size = scene.size(plan, messages)
    if size <= scene.budget.high or size > scene.budget.limit:
        return size > scene.budget.limit
    return worth(plan, move(plan, messages, scene), messages, scene)


def move(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Return the plan after a whole move."""
    return trim(clear(plan, messages, scene), messages, scene)


def clear(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Return the plan after the first half of a move: what waited for it is taken over, old results are cleared."""
    log = shown(plan, messages)
    plan = open_move(plan, log, scene.budget, scene.user)
    return clear_results(plan, log, scene.budget, scene.keep_tools)


def trim(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Return the plan after the second half of a move: older turns leave whole, the newest is cut if it must be."""
    log, budget = shown(plan, messages), scene.budget
    plan = trim_turns(plan, log, first_staying(plan, log, scene), budget, scene.meter)
    return degrade(plan, messages, budget, scene.meter, lambda p: scene.size(p, messages))


def first_staying(plan: WindowPlan, log: Log, scene: Scene) -> int:
    """Return the oldest turn that may stay: with it, what stands before the staying turns is under low.

    Found by bisection: the fewer turns stay, the smaller it is.
    """
    first, last = log.first_turn, max(log.first_turn, log.last_turn - scene.budget.older_turns)
    while first < last:
        middle = (first + last) // 2
        fits = scene.meter.request(_above(plan, log, middle, scene)) <= scene.budget.low
        first, last = (first, middle) if fits else (middle + 1, last)
    return first


def worth(plan: WindowPlan, moved: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> bool:
    """Tell whether what a move saves until the next one outweighs what it costs, at the cache price.

    It saves ``price × freed`` at every call until the window is at the high mark again. It costs once the
    tail that is no longer cached, ``(1 − price) × rewritten``, and the compaction call if turns leave.
    """
    before, after = scene.window(plan, messages), scene.window(moved, messages)
    price, meter = scene.budget.cache_price, scene.meter
    old, new = meter.request(before.counts), meter.request(after.counts)
    calls = 1 + sum(isinstance(message, AIMessage) for message in before.messages)
    growth = max(1.0, meter.estimator.tokens(before.zones["hot"].plus(before.zones["current"])) / calls)
    cost = (1 - price) * (new - meter.estimator.tokens(common_prefix(before, after)))
    if scene.budget.summarise and moved.first != plan.first:
        cost += price * old + INSTRUCTION_TOKENS
    saved = price * (old - new) * max(0.0, scene.budget.high - new) / growth
    return old > new and saved >= cost


def _above(plan: WindowPlan, log: Log, turn: int, scene: Scene) -> Counts:
    """Return what would stand before the staying turns if a turn were the first one shown."""
    budget = scene.budget
    trimmed = trim_turns(plan, log, turn, budget, scene.meter)
    notes = "字" * budget.notes_chars if budget.summarise and turn > log.first_turn else ""
    texts = map(lines_counts, (trimmed.user, warm_text(trimmed), notes))
    hot = (turn_counts(plan, log, t, budget) for t in range(turn, log.last_turn - budget.older_turns))
    return total([scene.fixed.counts, *texts, *hot])
