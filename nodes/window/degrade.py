"""When even the newest turn is too large: what is cut, in which order, until the window fits its bound."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from langchain_core.messages import AIMessage, BaseMessage

from nodes.window.budget import Budget, BudgetError
from nodes.window.estimator import Meter
from nodes.window.log import Log
from nodes.window.moves import groups, omit_groups, trim_turns
from nodes.window.plan import WindowPlan, shown
from nodes.window.shorten import SMALLEST
from nodes.window.tokens import content_text

RESULT_CHARS = 400
"""Characters that stay of a result that is too large: enough to tell what it was and how it began."""
ANSWER_CHARS = 200


class Rung(NamedTuple):
    """One kind of cut: how many there are, and the plan after the first ``k`` of them."""

    cuts: int
    after: Callable[[int], WindowPlan]


def degrade(
    plan: WindowPlan,
    messages: Sequence[BaseMessage],
    budget: Budget,
    meter: Meter,
    size: Callable[[WindowPlan], int],
) -> WindowPlan:
    """Return a plan whose window is within the hard limit, cutting no more than that takes.

    First, down to the high mark so that the next call does not move again: the newest turn's results become
    head, tail and handle, the largest first; then assistant answers 200 characters; then older turns leave,
    then the newest turn's oldest groups. Then, down to the hard limit: notes, ledger, user zone, the last
    group, what stands in front of the question, and at the very end the question's own middle.

    Args:
        plan: a plan that is cleared and trimmed as far as that goes.
        messages: the whole thread.
        budget: the bound.
        meter: measures the ledger.
        size: the tokens of a plan's window.

    Raises:
        BudgetError: system prompt and tools leave no room for a question; the message names the sizes.
    """
    if size(plan) <= budget.limit:
        return plan
    soft = (_results, _answers, _older_turns(budget, meter), _groups(keep=1))
    hard = (_warm, _groups(keep=0), _question)
    for target, rungs in ((budget.high, soft), (budget.limit, hard)):
        for rung in rungs:
            plan = _least(rung(plan, shown(plan, messages)), plan, size, target)
            if size(plan) <= target:
                return plan
    if size(plan) > budget.limit:
        raise BudgetError(
            f"{size(plan)} tokens remain when all is cut that may be, and window − reserve is {budget.limit}; "
            "shorten the system prompt or the tools, or raise the window."
        )
    return plan


def _least(rung: Rung, plan: WindowPlan, size: Callable[[WindowPlan], int], target: int) -> WindowPlan:
    """Return the plan with the fewest cuts that fits, by bisection; with all of them if none does."""
    low, high = 0, rung.cuts
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if size(rung.after(middle)) <= target else (middle + 1, high)
    return rung.after(low) if low else plan


def _results(plan: WindowPlan, log: Log) -> Rung:
    newest = [r for step in groups(log) for r in log.results.get(step, []) if r is not None]
    whole = [p for p in newest if log.key(p) not in plan.cleared]
    return _shortening(plan, log, sorted(whole, key=lambda p: -_length(log, p)), RESULT_CHARS)


def _answers(plan: WindowPlan, log: Log) -> Rung:
    said = [p for p in log.steps(log.begin) if isinstance(log.messages[p], AIMessage)]
    return _shortening(plan, log, said, ANSWER_CHARS)


def _shortening(plan: WindowPlan, log: Log, positions: list[int], chars: int) -> Rung:
    keys = [log.key(p) for p in positions if _length(log, p) > chars]

    def after(cuts: int) -> WindowPlan:
        return replace(plan, shortened={**plan.shortened, **dict.fromkeys(keys[:cuts], chars)})

    return Rung(len(keys), after)


def _older_turns(budget: Budget, meter: Meter) -> Callable[[WindowPlan, Log], Rung]:
    def rung(plan: WindowPlan, log: Log) -> Rung:
        return Rung(
            log.last_turn - log.first_turn,
            lambda cuts: trim_turns(plan, log, log.first_turn + cuts, budget, meter),
        )

    return rung


def _groups(keep: int) -> Callable[[WindowPlan, Log], Rung]:
    def rung(plan: WindowPlan, log: Log) -> Rung:
        left = [step for step in groups(log) if log.key(step) not in plan.omitted]
        leaving = left[: len(left) - keep]
        return Rung(len(leaving), lambda cuts: omit_groups(plan, log, leaving[:cuts]))

    return rung


def _warm(plan: WindowPlan, _log: Log) -> Rung:
    spilled = plan.ledger.spilled(0, len)
    steps = (
        plan,
        replace(plan, notes=()),
        replace(plan, notes=(), ledger=spilled),
        replace(plan, notes=(), ledger=spilled, user=""),
    )
    return Rung(len(steps) - 1, lambda cuts: steps[cuts])


def _question(plan: WindowPlan, log: Log) -> Rung:
    position = log.question()
    length = max(_length(log, position), SMALLEST)
    sizes = [length]
    while sizes[-1] > SMALLEST:
        sizes.append(max(SMALLEST, sizes[-1] * 3 // 4))

    def after(cuts: int) -> WindowPlan:
        return replace(plan, shortened={**plan.shortened, log.key(position): sizes[cuts - 1]})

    return Rung(len(sizes), after)


def _length(log: Log, position: int) -> int:
    return len(content_text(log.messages[position].content))
