"""What can be done with a thread beside talking on it: look at its window, replay it, correct it, go back."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import cast

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime
from langgraph.types import StateSnapshot

from graph.staff import withdraw
from graph.support import Support, asked_by, config_of
from nodes.models import OFFLINE, chat_model
from nodes.scene import budget_of, plan_of, scene_of
from nodes.state import Context, State
from nodes.tools.bound import tools
from nodes.window import Budget, Estimator, Meter, advance, mark_abandoned, mark_refuted, simulate
from nodes.window.log import Log
from nodes.window.plan import WindowPlan
from nodes.window.prompts import opening
from nodes.window.render import warm_text
from nodes.window.simulate import Policy, clear_only, no_policy
from nodes.window.summary import Record
from store.arguments import check_type
from store.errors import MalformedError, SupportPilotError
from store.resources import given
from store.storable import storable
from store.threads import claim, resolve_thread
from store.turn_lock import turn_lock

POLICIES: dict[str, tuple[Policy, bool]] = {
    "none": (no_policy, False),
    "clear": (clear_only, False),
    "trim": (advance, False),
    "compact": (advance, True),
}
"""Name → how the plan moves, and whether notes are written."""

_NAMED_TURNS = 3
"""Turns of an abandoned path that its record names."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """The calls of a thread, the budget that they are looked at under, and what left its window."""

    calls: list[Record]
    budget: Budget
    left: str


async def inspect(support: Support, thread: str, context: Context) -> Inspection:
    """Return the calls of a user's thread.

    Raises:
        SupportPilotError: nothing was said there, or the thread belongs to another user.
    """
    _, state = await _open(support, thread, context)
    budget = budget_of(support.resources.settings, context.budget)
    return Inspection(list(state.get("calls", [])), budget, warm_text(plan_of(state)))


async def replay(support: Support, thread: str, context: Context, policy: str) -> Inspection:
    """Return what the calls of a thread would have looked like under another policy and the context's budget.

    No provider is asked: sizes are estimated with what was learned about the model, and the offline model
    writes the notes.

    Raises:
        MalformedError: there is no such policy.
        SupportPilotError: nothing was said there, or the thread belongs to another user.
    """
    check_type("Policy", policy, str)
    if policy not in POLICIES:
        raise MalformedError(f"There is no policy {policy!r}. Choose one of: {', '.join(POLICIES)}.")
    _, state = await _open(support, thread, context)
    moves, notes = POLICIES[policy]
    with given(support.resources):
        runtime = Runtime(context=context)
        scene = await scene_of(state, runtime, await tools(state, runtime))
    budget = replace(scene.budget, summarise=notes)
    meter = Meter(Estimator.from_dict(scene.meter.estimator.to_dict()))
    model = chat_model(support.resources.settings, OFFLINE).ainvoke if notes else None
    scene = replace(scene, budget=budget, meter=meter)
    places = {record["sent"] for record in state.get("calls", [])}
    simulated = simulate(state["messages"], scene, policy=moves, model=model, places=places)
    calls = [call async for call in simulated]
    left = warm_text(calls[-1].plan) if calls else ""
    return Inspection([call.record.to_dict() for call in calls], scene.budget, left)


async def refute(support: Support, thread: str, context: Context, turn: int, reason: str) -> None:
    """Record that what was said in a turn is wrong; the next question has the correction in front of it.

    Raises:
        MalformedError: an argument has not its type.
        SupportPilotError: there is no such thread or turn.
    """
    check_type("Reason", reason, str)
    thread_uuid, _ = await _open(support, thread, context)
    async with turn_lock(support.resources.locks, thread_uuid):
        _, state = await _open(support, thread, context)
        _check(turn, Log.of(state["messages"]).last_turn)
        await _write_plan(
            support,
            await support.graph.aget_state(config_of(thread_uuid)),
            mark_refuted(plan_of(state), turn, storable(reason)),
        )


async def rollback(support: Support, thread: str, context: Context, to: int, why: str) -> None:
    """Let a thread go on from the end of an earlier turn, with a record of what is given up.

    The checkpoints of the abandoned turns stay (LangGraph's time travel); the thread forks. Their requests that
    wait for approval are withdrawn.

    Args:
        support: the product.
        thread: name or id of the thread.
        context: whose thread it is.
        to: the last turn that stays.
        why: why the later ones are given up.

    Raises:
        MalformedError: an argument has not its type.
        SupportPilotError: there is no such thread or turn.
    """
    check_type("Why", why, str)
    thread_uuid, _ = await _open(support, thread, context)
    async with turn_lock(support.resources.locks, thread_uuid):
        _, state = await _open(support, thread, context)
        log = Log.of(state["messages"])
        _check(to, log.last_turn - 1)
        names = [f"“{opening(log, turn)}”" for turn in range(to + 1, log.last_turn + 1)]
        tried = ", ".join(names[:_NAMED_TURNS]) + (
            f" … ({len(names)} turns)" if len(names) > _NAMED_TURNS else ""
        )
        earlier = await _end_of(support, thread_uuid, to)
        await withdraw(support, thread_uuid, earlier.values["messages"], context.tenant)
        plan = plan_of(cast("State", earlier.values))
        await _write_plan(support, earlier, mark_abandoned(plan, to, tried, storable(why)))


async def _open(support: Support, thread: str, context: Context) -> tuple[str, State]:
    _, owner = asked_by(context)
    thread_uuid = resolve_thread(owner, thread)
    state = await support.state(thread_uuid)
    if not state.get("messages"):
        raise SupportPilotError(
            f"Nothing was said on thread {thread!r}. Name it, and its user, as when asking."
        )
    await claim(support.resources.pool, thread_uuid, owner, thread)
    return thread_uuid, cast("State", state)


async def _end_of(support: Support, thread_uuid: str, turn: int) -> StateSnapshot:
    """Return the last checkpoint before the message after a turn, whether the turn ended or broke off."""
    async for snapshot in _line(support, thread_uuid):
        asked = sum(isinstance(m, HumanMessage) for m in snapshot.values.get("messages", []))
        # An input's checkpoint holds the next message already, only not yet in the log.
        if asked == turn and (snapshot.metadata or {}).get("source") != "input":
            return snapshot
    raise SupportPilotError(
        f"This thread has no checkpoint between turn {turn} and the message after it. Go back to another turn."
    )


async def _line(support: Support, thread_uuid: str) -> AsyncIterator[StateSnapshot]:
    """Yield the checkpoints that led to the thread's newest one, newest first; abandoned forks are not among them."""
    at: RunnableConfig | None = config_of(thread_uuid)
    while at is not None:
        snapshot = await support.graph.aget_state(at)
        yield snapshot
        at = snapshot.parent_config


async def _write_plan(support: Support, at: StateSnapshot, plan: WindowPlan) -> None:
    await support.graph.aupdate_state(at.config, {"plan": plan.to_dict()}, as_node="finish")


def _check(turn: int, last: int) -> None:
    check_type("Turn", turn, int)
    if not 1 <= turn <= last:
        raise SupportPilotError(f"Turn {turn} is not among 1 … {last}.")
