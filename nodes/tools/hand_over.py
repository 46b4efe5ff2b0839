"""The tool by which the agent passes a conversation to a person; the step behind the tools opens the ticket."""

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from nodes.tools.turn import tier

HAND_OVER_TOOL = "hand_over"


class HandOverArgs(BaseModel):
    """Arguments of ``hand_over``."""

    summary: str = Field(
        min_length=1,
        max_length=1000,
        description="What the user needs and what was found out so far, for the person who takes over."
        " 用户需要什么、已经查到什么,写给接手的人看",
    )


def hand_over_tool() -> BaseTool:
    """Return the tool."""

    async def run(summary: str) -> str:
        return f"A person takes over from here: {summary}"

    return StructuredTool(
        name=HAND_OVER_TOOL,
        description=(
            "Pass the conversation to a person: when the user asks for one, or has a problem that neither the help"
            " centre nor the other tools solve and agrees to be passed on. 把对话转给人工客服:用户要求转人工,"
            "或者帮助中心和其他工具都解决不了并且用户同意时使用。"
        ),
        args_schema=HandOverArgs,
        coroutine=run,
        metadata=tier("notify"),
    )
