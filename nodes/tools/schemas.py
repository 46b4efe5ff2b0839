"""Tool schemas as they are sent, made once: a schema takes a millisecond to make and is needed several times a turn."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from nodes.window.tokens import compact_json


@dataclass(frozen=True, slots=True)
class _Described:
    """What a schema is made from; the tool itself is another one at every turn."""

    name: str
    description: str
    arguments: object
    tool: BaseTool = field(compare=False)


def schemas_of(tools: Sequence[BaseTool]) -> list[dict[str, Any]]:
    """Return the tools' schemas in OpenAI's form, in the order of the tools."""
    return [_schema(_Described(t.name, t.description, _arguments(t), t)) for t in tools]


@lru_cache(maxsize=256)
def _schema(described: _Described) -> dict[str, Any]:
    return convert_to_openai_tool(described.tool)


def _arguments(tool: BaseTool) -> object:
    """Return what tells the arguments of a tool apart: their class, or the JSON schema that a server sent."""
    return tool.args_schema if isinstance(tool.args_schema, type) else compact_json(tool.args_schema)
