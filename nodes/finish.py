"""The last step of a turn: what the help centre lacks is kept, and the thread is queued to be read for memories."""

from langgraph.runtime import Runtime

from nodes.identity import asker, run_context, thread_of
from nodes.log import current_turn
from nodes.state import Context, State
from store.gaps import record_gap
from store.jobs import queue_reading
from store.resources import resources


async def finish(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Record a question that found no answer; have the thread read for memories once it is quiet."""
    opened = await resources()
    if is_gap(state):
        await record_gap(
            opened.pool,
            message_id=str(current_turn(state["messages"])[0].id),
            thread=thread_of(runtime),
            tenant=asker(state, runtime).tenant,
            collection=run_context(runtime).collection or opened.settings.collection,
            question=state["decision"]["question"],
        )
    if thread := thread_of(runtime):
        await queue_reading(opened.pool, thread, asker(state, runtime), seconds=opened.settings.memory_pause)
    return {}


def is_gap(state: State) -> bool:
    """Tell whether the turn's question found no answer in the help centre."""
    return state["decision"]["route"] != "direct" and not state["review"]["answered"]
