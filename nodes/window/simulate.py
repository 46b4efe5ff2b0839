"""Offline replay: a recorded thread under another budget or policy, call by call, with no provider."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from nodes.window.account import CallRecord, account
from nodes.window.advance import Scene, advance
from nodes.window.compaction import Compaction, Model, write_notes
from nodes.window.moves import clear_results, open_move
from nodes.window.plan import WindowPlan, shown
from nodes.window.render import Window

Policy = Callable[[WindowPlan, Sequence[BaseMessage], Scene], WindowPlan]


@dataclass(frozen=True, slots=True)
class Call:
    """One simulated call."""

    record: CallRecord
    window: Window
    plan: WindowPlan
    compaction: Compaction | None
    seconds: float
    """Time of planning and rendering, without the model and without counting for the report."""


def no_policy(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:  # noqa: ARG001  # a policy's signature
    """Show the whole log, always."""
    return plan


def clear_only(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Clear above the high mark, and do nothing else."""
    if scene.size(plan, messages) <= scene.budget.high:
        return plan
    log = shown(plan, messages)
    return clear_results(open_move(plan, log, scene.budget, scene.user), log, scene.budget, scene.keep_tools)


async def simulate(
    messages: Sequence[BaseMessage],
    scene: Scene,
    *,
    policy: Policy = advance,
    model: Model | None = None,
    places: Collection[int] | None = None,
    count: Callable[[Sequence[BaseMessage]], int] | None = None,
) -> AsyncIterator[Call]:
    """Yield what every model call of a recorded thread would have looked like.

    Args:
        messages: the recorded thread.
        scene: budget, fixed zone and meter to replay it under.
        policy: how the plan changes before a call.
        model: writes the notes after a move; without one the ledger stands alone.
        places: positions of the messages that answered calls; default: every assistant message's.
        count: the input tokens that a provider would report for the messages of a request.
    """
    plan, sent, asked = WindowPlan(), None, False
    for position, message in enumerate(messages):
        asked = asked or isinstance(message, HumanMessage)
        answers = isinstance(message, AIMessage) if places is None else position in places
        if not asked or not answers:
            continue
        log = messages[:position]
        started = perf_counter()
        moved = policy(plan, log, scene)
        spent = perf_counter() - started
        done = (
            await write_notes(plan, moved, log, scene, model) if model and moved.moves != plan.moves else None
        )
        plan = done.plan if done else moved
        started = perf_counter()
        window = scene.window(plan, log)
        spent += perf_counter() - started
        record = account(plan, log, scene, sent=sent, compaction=done)
        if count:
            tokens = count(window.messages)
            record = record.reported(tokens, None)
            scene = replace(scene, meter=scene.meter.learned(window.counts, tokens))
        yield Call(record, window, plan, done, spent)
        sent = (plan, position)
