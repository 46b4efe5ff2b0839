"""One request to the model: assembled within the budget, checked, sent, and accounted for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from nodes.models import invoke, usage_of
from nodes.scene import budget_errors, plan_of
from nodes.state import State
from nodes.window import (
    CallRecord,
    Compaction,
    Meter,
    Scene,
    Window,
    WindowPlan,
    account,
    advance,
    check_window,
)
from store.errors import ConfigError, ContextOverflowError


@dataclass(frozen=True, slots=True)
class Assembled:
    """A request that is ready to be sent, or was."""

    plan: WindowPlan
    scene: Scene
    window: Window
    took: float = 0.0
    """Milliseconds that the model took."""


async def answer(
    model: Runnable[list[BaseMessage], BaseMessage],
    plan: WindowPlan,
    log: Sequence[BaseMessage],
    scene: Scene,
) -> tuple[AIMessage, Assembled]:
    """Call the model on a log's window; once more, one step smaller, if it finds the request too long.

    Raises:
        ConfigError: what may never be cut does not fit the budget.
        ContextOverflowError: the endpoint finds the smaller request too long as well, or nothing more can be cut.
        ModelError: the model fails.
    """
    asked, began = assemble(plan, log, scene), perf_counter()
    try:
        reply = await invoke(model, asked.window.messages)
    except ContextOverflowError as refused:
        try:
            asked = assemble(asked.plan, log, scene.after_overflow(asked.window), force=True)
        except ConfigError:
            raise refused from None  # the budget is larger than what the model takes, and that is to be told
        reply = await invoke(model, asked.window.messages)
    return reply, replace(asked, took=(perf_counter() - began) * 1_000)


def assemble(plan: WindowPlan, log: Sequence[BaseMessage], scene: Scene, *, force: bool = False) -> Assembled:
    """Return the request for a log: within the budget and valid, or an error before anything is sent."""
    with budget_errors():
        plan = advance(plan, log, scene, force=force)
    window = scene.window(plan, log)
    check_window(window.messages)
    return Assembled(plan, scene, window)


def accounted(state: State, asked: Assembled, reply: AIMessage) -> tuple[CallRecord, Scene]:
    """Return the record of a call, and the scene whose meter has learned from what the provider reported.

    Args:
        state: the thread as it was before the call.
        asked: the request.
        reply: what came back.
    """
    scene, move = asked.scene, state.get("move")
    before = WindowPlan.from_dict(move["before"]) if move else plan_of(state)
    written = Compaction(asked.plan, move["accepted"], move["dropped"], move["failure"]) if move else None
    sent = (before, state["sent"]) if "sent" in state else None
    record = account(asked.plan, state["messages"], scene, sent=sent, compaction=written)
    record = _reported(record, asked, reply)
    if reply.usage_metadata is None:
        return record, scene
    meter = scene.meter.learned(asked.window.counts, usage_of(reply)["input"])
    return record, replace(scene, meter=meter)


def accounted_beside(
    log: Sequence[BaseMessage],
    beside: Sequence[BaseMessage],
    asked: Assembled,
    reply: AIMessage,
    sent: tuple[WindowPlan, int],
) -> CallRecord:
    """Return the record of a call that asks once more, such as for a repair: the log never holds what it asked.

    Args:
        log: the thread's.
        beside: what was said behind it, one user message among it.
        asked: the request.
        reply: what came back.
        sent: plan and number of messages of the call before.
    """
    record = account(asked.plan, [*log, *beside], asked.scene, sent=sent)
    return _reported(replace(record, turn=record.turn - 1, sent=len(log)), asked, reply)


def _reported(record: CallRecord, asked: Assembled, reply: AIMessage) -> CallRecord:
    if reply.usage_metadata is None:
        return replace(record, latency_ms=asked.took)
    usage = usage_of(reply)
    return record.reported(usage["input"], usage["cached"], asked.took)


def changes(state: State, asked: Assembled, meter: Meter) -> dict[str, object]:
    """Return what a call changed about the window: only that is written, for every write is stored."""
    known = state.get("fronts", {})
    fronts = {key: text for key, text in asked.scene.fronts.items() if key not in known}
    return {
        "sent": len(state["messages"]),
        **({"plan": asked.plan.to_dict()} if asked.plan != plan_of(state) else {}),
        **({"move": None} if state.get("move") else {}),
        **({"meter": meter.last.to_dict()} if meter.last else {}),
        **({"fronts": fronts} if fronts else {}),
    }
