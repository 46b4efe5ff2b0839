"""The tools that the model may call, in a fixed order with schemas that never change: every call has one prefix."""

import asyncio

from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.mcp import mcp_tools
from nodes.research import research
from nodes.skills import skills
from nodes.state import Context, State
from nodes.tools.account import get_subscription
from nodes.tools.actions import action_tools
from nodes.tools.hand_over import hand_over_tool
from nodes.tools.knowledge import read_article, search_kb
from nodes.tools.replay import read_result, recall_history
from nodes.tools.skill import load_skill
from nodes.tools.turn import Turn, turn_of


async def tools(state: State, runtime: Runtime[Context]) -> list[BaseTool]:
    """Return the tools of a turn, the same names and schemas in the same order at every call of a thread.

    Each says in its metadata of which tier it is.
    """
    turn = await turn_of(state, runtime)
    configured = turn.opened.settings
    own = tools_of(turn)
    if configured.skills_dir and (known := await asyncio.to_thread(skills, configured.skills_dir)):
        own.append(load_skill(known))
    taken = {tool.name for tool in own}
    others = [tool for tool in await mcp_tools(configured.mcp_config) if tool.name not in taken]
    return sorted((*own, *others), key=lambda tool: tool.name)


def tools_of(turn: Turn) -> list[BaseTool]:
    """Return the product's own tools of a turn, sorted by name; no server's tool takes the place of one."""
    reading = (search_kb(turn), read_article(turn))
    replay = (recall_history(turn), read_result(turn))
    acting = (hand_over_tool(), *action_tools())
    own = (*reading, *replay, *acting, research(turn, reading), get_subscription(turn))
    return sorted(own, key=lambda tool: tool.name)
