"""Running the calls of one step: side by side, in order, and every failure a result that says how to do it right."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from time import perf_counter
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from pydantic import ValidationError

from nodes.log import current_turn
from nodes.loop import MOST_AT_ONCE
from nodes.tools.schemas import schemas_of
from nodes.tools.turn import tier_of
from nodes.window.tokens import content_text
from store.errors import SupportPilotError, ToolError
from store.storable import storable

_LOG = logging.getLogger(__name__)


Call = ToolCall | InvalidToolCall


def open_calls(log: Sequence[BaseMessage]) -> tuple[str, list[Call]]:
    """Return the newest assistant message's id and those of its calls that have no result yet, in its order."""
    turn = current_turn(log)
    asked = next((m for m in reversed(turn) if isinstance(m, AIMessage)), AIMessage(""))
    done = {m.tool_call_id for m in turn if isinstance(m, ToolMessage)}
    calls: list[Call] = [*asked.tool_calls, *asked.invalid_tool_calls]
    return asked.id or "", [call for call in calls if call["id"] not in done]


async def run_calls(
    calls: Sequence[Call], tools: Sequence[BaseTool], *, seconds: float, step: str
) -> list[ToolMessage]:
    """Run calls side by side and return their results in the order of the calls.

    Args:
        calls: what a model asked for, well formed or not.
        tools: what it may call; a tool of the tier ``write`` is refused here.
        seconds: time limit of one call; a tool may name a longer one of its own in its metadata.
        step: id of the message that holds the calls; with the call's own it names the result, so that a step
            that runs again after a crash replaces its results.
    """
    bound = {tool.name: tool for tool in tools}
    return list(
        await asyncio.gather(
            *(
                _run(call, bound, seconds if place < MOST_AT_ONCE else 0, f"{step}-{call['id']}")
                for place, call in enumerate(calls)
            )
        )
    )


async def _run(call: Call, bound: Mapping[str, BaseTool], seconds: float, message_id: str) -> ToolMessage:
    began = perf_counter()
    try:
        content, artifact = await _result(call, bound, seconds)
        status = "success"
    except ToolError as error:
        content, artifact, status = json.dumps({"error": str(error)}, ensure_ascii=False), {}, "error"
    return ToolMessage(
        storable(content),
        id=message_id,
        name=call["name"] or "unknown",
        tool_call_id=call["id"] or "",
        status=status,
        artifact={**storable(artifact), "ms": round((perf_counter() - began) * 1000)},
    )


async def _result(call: Call, bound: Mapping[str, BaseTool], seconds: float) -> tuple[str, dict[str, Any]]:
    """Carry one call out.

    Raises:
        ToolError: it cannot be carried out as it stands.
    """
    tool = _tool(call, bound, seconds)
    seconds = (tool.metadata or {}).get("seconds", seconds)
    try:
        answer = await asyncio.wait_for(tool.ainvoke(_valid(call, tool)), seconds)
    except (ToolError, GraphBubbleUp):
        raise
    except ValidationError as error:
        raise ToolError(_arguments(tool, error)) from error
    except TimeoutError as error:
        raise ToolError(
            f"{tool.name} gave no result within {seconds:g} s. Try it once more, or go on without it and say so."
        ) from error
    except SupportPilotError as error:
        raise ToolError(str(error)) from error
    except Exception as error:
        _LOG.exception("tool %s failed", tool.name)
        raise ToolError(
            f"{tool.name} failed ({type(error).__name__}). Go on without it and say what is missing."
        ) from error
    if not isinstance(answer, ToolMessage):
        return content_text(answer), {}
    if answer.status == "error":
        raise ToolError(content_text(answer.content))
    artifact = answer.artifact if isinstance(answer.artifact, dict) else {}
    return content_text(answer.content), artifact


def _tool(call: Call, bound: Mapping[str, BaseTool], seconds: float) -> BaseTool:
    name = call["name"] or ""
    if name not in bound:
        near = get_close_matches(name, bound, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise ToolError(f"There is no tool {name!r}. {hint}Tools: {', '.join(sorted(bound))}.")
    if not seconds:
        raise ToolError(f"Only {MOST_AT_ONCE} calls run at once. Ask for this one again in the next step.")
    if tier_of(bound[name]) == "write":
        raise ToolError(
            f"{name} runs only after a person has approved it. Tell the user that it waits for approval."
        )
    return bound[name]


def _valid(call: Call, tool: BaseTool) -> ToolCall:
    args: Any = call["args"]
    if not isinstance(args, dict):
        raise ToolError(
            f"The arguments of {tool.name} are not a JSON object: {str(args)[:80]!r}. {_form(tool)}"
        )
    return ToolCall(name=tool.name, args=args, id=call["id"], type="tool_call")


def _arguments(tool: BaseTool, error: ValidationError) -> str:
    wrong = "; ".join(
        f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()[:3]
    )
    return f"Wrong arguments for {tool.name}: {wrong}. {_form(tool)}"


def _form(tool: BaseTool) -> str:
    """Say in one line which arguments a tool takes."""
    schema = schemas_of([tool])[0]["function"]["parameters"]
    needed = schema.get("required", [])
    form = {
        name: _kind(given) + ("" if name in needed else ", optional")
        for name, given in schema.get("properties", {}).items()
    }
    return f"Call it with {json.dumps(form, ensure_ascii=False)}."


def _kind(given: Any) -> str:
    """Return the type of an argument in words; a server's schema may give several, or none."""
    named = given.get("type", "any") if isinstance(given, dict) else "any"
    return named if isinstance(named, str) else " or ".join(map(str, named))
