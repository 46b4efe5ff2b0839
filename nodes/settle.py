"""A new message while requests wait for approval: nothing waits in the way of it, and no request is lost."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.runtime import Runtime

from nodes.approvals import approval_id, outcome, result
from nodes.identity import thread_of
from nodes.log import current_turn
from nodes.state import Context, State
from nodes.tools.bound import tools
from nodes.tools.run import Call
from store.approvals import approvals
from store.resources import resources


async def settle(state: State, runtime: Runtime[Context]) -> list[ToolMessage]:
    """Return results for the calls that earlier turns left waiting for approval.

    A new message ends the interrupt in which they waited. One that is not decided yet is answered with
    "waiting" and stays in the table; what a person decides later is said in the thread.
    """
    log = state["messages"]
    left = unanswered(log[: len(log) - len(current_turn(log))])
    thread = thread_of(runtime)
    if not left or not thread:
        return []
    pool = (await resources()).pool
    asked = {approval_id(thread, step, call): (step, call) for step, call in left}
    rows = await approvals(pool, list(asked))
    bound = await tools(state, runtime) if rows else []
    return [result(*asked[row.approval_id], await outcome(pool, row, bound)) for row in rows]


def unanswered(log: Sequence[BaseMessage]) -> list[tuple[str, Call]]:
    """Return the calls of a log that have no result, each with the id of its message."""
    done = {m.tool_call_id for m in log if isinstance(m, ToolMessage)}
    return [
        (m.id or "", call)
        for m in log
        if isinstance(m, AIMessage)
        for call in m.tool_calls
        if call["id"] not in done
    ]
