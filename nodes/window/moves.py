"""The parts of a move, as pure functions from plan to plan: clearing, and trimming with the ledger."""

from collections.abc import Collection
from dataclasses import replace

from langchain_core.messages import AIMessage

from nodes.window.budget import Budget
from nodes.window.clear import clearable
from nodes.window.estimator import Meter
from nodes.window.ledger import Ledger, ledger_line, lines_of
from nodes.window.log import Log, handle
from nodes.window.notes import halved, merge
from nodes.window.plan import WindowPlan
from nodes.window.shorten import first_lines


def open_move(plan: WindowPlan, log: Log, budget: Budget, user: str) -> WindowPlan:
    """Take into the plan what waited for a move: the user zone as it is now, and what was refuted since.

    What stood in front of older questions is shown no longer.
    """
    refuted = {turn: "已更正 refuted" for note in plan.fresh for turn in note.turns}
    return replace(
        plan,
        user=first_lines(user, budget.user_tokens),
        notes=halved(merge(plan.notes, plan.fresh), budget.notes_chars),
        fresh=(),
        ledger=plan.ledger.marked(refuted),
        moved_at=log.key(log.question()),
        moves=plan.moves + 1,
    )


def clear_results(plan: WindowPlan, log: Log, budget: Budget, keep_tools: Collection[str] = ()) -> WindowPlan:
    """Clear the results that the model has used: all of older turns, and of the newest all but its last groups.

    Args:
        plan: the plan so far; what it cleared stays cleared.
        log: the shown part of the thread.
        budget: `min_chars` and `keep_groups`.
        keep_tools: names of tools whose results are never cleared.
    """
    called = [step for step in groups(log) if step in log.results]
    kept = called[len(called) - budget.keep_groups :] if budget.keep_groups < len(called) else called
    spared = {result for step in kept for result in log.results[step]}
    found = {
        log.key(result)
        for results in log.results.values()
        for result in results
        if result is not None
        and result not in spared
        and clearable(log.messages[result], budget.min_chars, keep_tools)
    }
    return replace(plan, cleared=plan.cleared | found)


def trim_turns(plan: WindowPlan, log: Log, turn: int, budget: Budget, meter: Meter) -> WindowPlan:
    """Leave out the turns before one, whole: their values go to the ledger, their story waits for the notes.

    Args:
        plan: the plan so far.
        log: the shown part of the thread, which begins with turn `plan.turn`.
        turn: the first turn that stays.
        budget: the ledger's mark, and whether notes are written.
        meter: measures the ledger.
    """
    if turn <= log.first_turn:
        return plan
    begin = log.start(turn)
    shown = {log.key(position) for position in range(begin, len(log.messages))}
    first_left = max(1, log.first_turn)
    return replace(
        plan,
        first=log.key(begin),
        turn=turn,
        cleared=plan.cleared & shown,
        omitted=plan.omitted & shown,
        shortened={key: chars for key, chars in plan.shortened.items() if key in shown},
        ledger=_ledger(plan, log, turn, budget, meter),
        unwritten=(plan.unwritten or first_left) if budget.summarise else 0,
    )


def omit_groups(plan: WindowPlan, log: Log, positions: Collection[int]) -> WindowPlan:
    """Leave out groups of the newest turn; a line of the ledger keeps their values and handles.

    Args:
        plan: the plan so far.
        log: the shown part of the thread.
        positions: the assistant messages of the groups that leave.
    """
    omitted = plan.omitted | set(map(log.key, positions))
    gone = [step for step in groups(log) if log.key(step) in omitted]
    results = [result for step in gone for result in log.results.get(step, []) if result is not None]
    said = ledger_line(log.last_turn, [log.messages[p] for p in (*gone, *results)]) or f"T{log.last_turn}"
    line = " ".join([said, *map(handle, results)])
    return replace(plan, omitted=omitted, ledger=plan.ledger.before(log.last_turn).appended([line]))


def groups(log: Log) -> list[int]:
    """Return the positions of the newest turn's assistant messages, each with the results of its calls."""
    steps = log.steps(log.question())
    return [position for position in steps if isinstance(log.messages[position], AIMessage)]


def _ledger(plan: WindowPlan, log: Log, turn: int, budget: Budget, meter: Meter) -> Ledger:
    lines = lines_of(log, log.first_turn, turn)
    return plan.ledger.before(log.first_turn).appended(lines).spilled(budget.ledger_tokens, meter.text)
