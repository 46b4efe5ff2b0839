"""The tools that the model may call."""

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.state import Context, State


async def tools(state: State, runtime: Runtime[Context]) -> list[BaseTool]:  # noqa: ARG001  # what tools are made from
    """Return the tools of a turn, the same names and schemas in the same order at every call of a thread."""
    return []
