"""The last step of a turn: what the help centre lacks is kept for those who write it."""

from langgraph.runtime import Runtime

from nodes.identity import owner, run_context
from nodes.log import current_turn
from nodes.state import Context, State
from store.gaps import record_gap
from store.resources import resources


async def finish(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Record a question that found no answer."""
    decision = state["decision"]
    if decision["route"] != "direct" and not state["review"]["answered"]:
        opened = await resources()
        await record_gap(
            opened.pool,
            message_id=str(current_turn(state["messages"])[0].id),
            tenant=owner(runtime).tenant,
            collection=run_context(runtime).collection or opened.settings.collection,
            question=decision["question"],
        )
    return {}
