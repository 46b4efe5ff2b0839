"""What runs before a model call when the window is full: clear, trim, compact. Each is one pure function."""

from functools import reduce

from langchain_core.messages import BaseMessage
from langgraph.constants import TAG_NOSTREAM
from langgraph.runtime import Runtime

from nodes.models import invoke_briefly, usage_of
from nodes.scene import budget_errors, model_of, plan_of, scene_of
from nodes.state import NO_USAGE, Context, Move, State, Usage, add_usage
from nodes.tools.bound import tools
from nodes.window import WindowPlan, write_notes
from nodes.window.advance import clear as clear_results
from nodes.window.advance import due, open_plan
from nodes.window.advance import trim as trim_turns
from nodes.window.compaction import STOP


async def must_move(state: State, runtime: Runtime[Context]) -> bool:
    """Tell whether the plan moves before the next call; mostly it does not, and none of the nodes runs.

    A move that no call has used, because a run was cut short, is made again: its prefix is broken already.
    """
    scene = await scene_of(state, runtime, await tools(state, runtime))
    with budget_errors():
        return bool(state.get("move")) or due(open_plan(plan_of(state), scene), state["messages"], scene)


async def clear(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Begin a move: old tool results become one line with their handle."""
    scene, pending = await scene_of(state, runtime, await tools(state, runtime)), state.get("move")
    plan = open_plan(plan_of(state), scene)
    before = pending["before"] if pending else plan.to_dict()
    return {
        "plan": clear_results(plan, state["messages"], scene).to_dict(),
        "move": Move(before=before, accepted=0, dropped=0, failure=""),
    }


async def trim(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Let the oldest turns leave, whole, until the window is under the low mark; the ledger keeps their values."""
    scene = await scene_of(state, runtime, await tools(state, runtime))
    with budget_errors():
        return {"plan": trim_turns(plan_of(state), state["messages"], scene).to_dict()}


async def compact(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Have the model write down what the turns that left held; without it the ledger stands alone."""
    plan, move = plan_of(state), state["move"]
    if not plan.unwritten or move is None:
        return {}
    bound = await tools(state, runtime)
    scene, answering = await scene_of(state, runtime, bound), await model_of(runtime, bound)
    internal, spent = answering.with_config(tags=[TAG_NOSTREAM]), list[Usage]()

    async def model(messages: list[BaseMessage]) -> BaseMessage:
        reply = await invoke_briefly(internal, messages, STOP * scene.budget.notes_chars)
        spent.append(usage_of(reply))
        return reply

    done = await write_notes(WindowPlan.from_dict(move["before"]), plan, state["messages"], scene, model)
    return {
        "plan": done.plan.to_dict(),
        "move": Move(
            before=move["before"], accepted=done.accepted, dropped=done.dropped, failure=done.failure
        ),
        "usage": reduce(add_usage, spent, NO_USAGE),
    }
