"""The step that runs the tool calls of the model's last message."""

import asyncio

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.state import Context, State
from nodes.tools import tools


async def run_tools(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Run the calls of one step side by side; their results stand in the order of the calls."""
    known = {tool.name: tool for tool in await tools(state, runtime)}
    last = state["messages"][-1]
    calls = last.tool_calls if isinstance(last, AIMessage) else []
    return {"messages": list(await asyncio.gather(*(_result(known, call) for call in calls)))}


async def _result(known: dict[str, BaseTool], call: ToolCall) -> ToolMessage:
    """Run one call; what goes wrong comes back as a result that says so."""
    tool = known.get(call["name"])
    if tool is None:
        text = f"There is no tool {call['name']!r}. Tools: {', '.join(known) or 'none'}."
        return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")
    done = await tool.ainvoke({**call, "type": "tool_call"})
    assert isinstance(done, ToolMessage)  # noqa: S101  # LangChain's promise for a tool call
    return done
