"""The tool that loads a skill's instructions."""

from collections.abc import Sequence

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from nodes.skills import Skill
from nodes.tools.turn import tier
from store.errors import ToolError


class SkillArgs(BaseModel):
    """Arguments of ``load_skill``."""

    name: str = Field(description="A skill's name from the system prompt. 技能名")


def load_skill(known: Sequence[Skill]) -> BaseTool:
    """Return the tool that loads a skill."""

    async def run(name: str) -> str:
        found = next((skill for skill in known if skill.name == name), None)
        if found is None:
            raise ToolError(f"There is no skill {name!r}. Skills: {', '.join(s.name for s in known)}.")
        return found.text

    return StructuredTool(
        name="load_skill",
        description="Load the instructions of a skill before a task that it is for. 加载技能说明。",
        args_schema=SkillArgs,
        coroutine=run,
        metadata=tier("read"),
    )
