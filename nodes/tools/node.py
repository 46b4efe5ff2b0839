"""The step that runs the tool calls of the model's last message."""

from functools import reduce

from langgraph.runtime import Runtime

from nodes.state import NO_USAGE, Context, State, add_usage
from nodes.tools.bound import tools
from nodes.tools.run import open_calls, run_calls
from store.resources import resources


async def run_tools(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Run the calls of one step side by side; each gets a result, whatever happens, in the order of the calls."""
    seconds = (await resources()).settings.tool_timeout
    asked, calls = open_calls(state["messages"])
    results = await run_calls(calls, await tools(state, runtime), seconds=seconds, step=asked)
    spent = [result.artifact["usage"] for result in results if "usage" in result.artifact]
    return {"messages": results, "usage": reduce(add_usage, spent, NO_USAGE)}
