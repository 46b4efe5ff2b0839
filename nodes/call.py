"""The model call: assemble the window, check it, call, account for it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from time import perf_counter

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from nodes.estimators import keep
from nodes.language import language
from nodes.log import current_turn, dialogue, used_ids
from nodes.loop import MAX_STEPS, calls_tools, skipped_search
from nodes.models import invoke, usage_of
from nodes.parts import standalone_parts
from nodes.passages import search_call
from nodes.phrases import SEARCH_FIRST
from nodes.rewrite import turns
from nodes.scene import budget_errors, model_of, plan_of, scene_of
from nodes.state import Context, State, add_usage
from nodes.tools.bound import tools
from nodes.tools.written import with_calls
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
from store.errors import ContextOverflowError
from store.resources import resources


@dataclass(frozen=True, slots=True)
class Assembled:
    """A request that is ready to be sent, or was."""

    plan: WindowPlan
    scene: Scene
    window: Window
    took: float = 0.0
    """Milliseconds that the model took."""


async def call(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Let the model answer, or call tools where the turn's route allows it.

    Raises:
        ConfigError: what may never be cut does not fit the budget.
        ModelError: the model fails; the user's message stays in the log.
    """
    scene = await scene_of(state, runtime)
    bound = await tools(state, runtime)
    names = [tool.name for tool in bound]
    replies, asked = await ask(state, runtime, scene, names)
    message = with_calls(replies[-1], names, used_ids(state["messages"]))
    if state["decision"]["route"] != "agentic":
        message = without_actions(message, bound)
    record, scene = accounted(state, asked, replies[0])
    if replies[0].usage_metadata is not None:
        await keep((await resources()).pool, scene.meter.estimator)
    return {
        "messages": [message],
        "usage": reduce(add_usage, map(usage_of, replies)),
        "steps": state.get("steps", 0) + len(replies),
        "calls": [record.to_dict()],
        **changes(state, asked, scene.meter),
    }


async def ask(
    state: State, runtime: Runtime[Context], scene: Scene, names: Collection[str]
) -> tuple[list[AIMessage], Assembled]:
    """Call the model; send it back, once, if it answers a question about the product without having looked.

    What it does not look up then either is searched for in its place.

    Returns:
        What the model said, the answer that stands last, and the request.
    """
    log, steps = state["messages"], state.get("steps", 0)
    may_call = state["decision"]["route"] == "agentic" and steps < MAX_STEPS - 1
    model = await model_of(state, runtime, may_call=may_call)
    may_send_back = may_call and skipped_search(log)
    if may_send_back:  # not streamed, for it may not stand; if it does, it is streamed whole
        model = model.with_config(tags=[TAG_NOSTREAM])
    reply, asked = await answer(model, plan_of(state), log, scene)
    if not may_send_back or calls_tools(with_calls(reply, names)):
        return [reply], asked
    reminder = HumanMessage(SEARCH_FIRST[language(current_turn(log)[0].text)])
    second = await invoke(model, [*asked.window.messages, reply, reminder])
    return [reply, second if calls_tools(with_calls(second, names)) else searching(second, log)], asked


def without_actions(reply: AIMessage, bound: Sequence[BaseTool]) -> AIMessage:
    """Return a model's message without its calls of write-tier tools.

    Where the agent was not asked for, that no tool is to be called is a request to the endpoint, which not every
    model keeps to.

    Args:
        reply: what the model said.
        bound: the tools of the turn.
    """
    writing = {tool.name for tool in bound if (tool.metadata or {})["tier"] == "write"}
    kept = [call for call in reply.tool_calls if call["name"] not in writing]
    return reply if kept == reply.tool_calls else reply.model_copy(update={"tool_calls": kept})


def searching(reply: AIMessage, log: Sequence[BaseMessage]) -> AIMessage:
    """Return a model's message with what it said replaced by a search for each question of the turn.

    Args:
        reply: what the model said.
        log: the thread's, the newest question included.
    """
    question = current_turn(log)[0]
    queries = dict.fromkeys(standalone_parts(question.text, turns(dialogue(log))))
    calls = [search_call(query, str(question.id)) for query in queries]
    return reply.model_copy(update={"content": "", "tool_calls": calls})


async def answer(
    model: Runnable[list[BaseMessage], BaseMessage],
    plan: WindowPlan,
    log: Sequence[BaseMessage],
    scene: Scene,
) -> tuple[AIMessage, Assembled]:
    """Call the model on a log's window; once more, one step smaller, if it finds the request too long."""
    asked, began = assemble(plan, log, scene), perf_counter()
    try:
        reply = await invoke(model, asked.window.messages)
    except ContextOverflowError:
        asked = assemble(asked.plan, log, scene.after_overflow(asked.window), force=True)
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
    if reply.usage_metadata is None:
        return replace(record, latency_ms=asked.took), scene
    usage = usage_of(reply)
    meter = scene.meter.learned(asked.window.counts, usage["input"])
    return (
        record.reported(usage["input"], usage["cached"], asked.took),
        replace(scene, meter=meter),
    )


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
