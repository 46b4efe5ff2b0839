"""Tool calls that a model wrote as text, as small models do; and ids for calls that came without one of their own."""

import json
import re
from collections.abc import Collection, Iterator
from hashlib import blake2b
from typing import Any

from langchain_core.messages import AIMessage, InvalidToolCall, ToolCall

from store.storable import storable

_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call)?[^\S\n]*\n(.*)```", re.DOTALL)
_OPENINGS = ("<tool_call>", "{", "[{", "```")
_LONGEST = 20_000
"""Characters of a text that is read for calls; no tool takes arguments as long."""
_ARGUMENTS = frozenset({"arguments", "args", "parameters"})


def with_calls(reply: AIMessage, names: Collection[str], used: Collection[str] = ()) -> AIMessage:
    """Return a model's message with its tool calls as calls, each with an id that no other call has.

    Text is taken for calls only where it is nothing else: one or more ``<tool_call>`` blocks, or one JSON object
    or list, bare or fenced, each object with the name of a bound tool and its arguments. A call inside a sentence
    stays text, for it may be quoted from a passage.

    Args:
        reply: what the model answered.
        names: the tools that are bound.
        used: ids of the thread's earlier calls; some endpoints count anew in every answer.
    """
    calls = [ToolCall(**call) for call in reply.tool_calls]
    content = reply.content
    if not calls and not reply.invalid_tool_calls and (written := written_calls(reply.text, names)):
        calls, content = written, ""
    invalid = [InvalidToolCall(**call) for call in reply.invalid_tool_calls]
    taken = set(used)
    for place, call in enumerate((*calls, *invalid)):
        unique = call["id"] if call["id"] and call["id"] not in taken else _new_id(reply, place, len(taken))
        call["id"] = unique
        taken.add(unique)
    if (calls, invalid) == (reply.tool_calls, reply.invalid_tool_calls):
        return reply
    return reply.model_copy(update={"content": content, "tool_calls": calls, "invalid_tool_calls": invalid})


def may_be_calls(beginning: str) -> bool:
    """Tell whether a text that begins like this may turn out to be written calls."""
    start = beginning.lstrip()
    return any(start.startswith(mark) or mark.startswith(start) for mark in _OPENINGS)


def written_calls(text: str, names: Collection[str] | None = None) -> list[ToolCall]:
    """Return the calls that a text consists of; none when it holds anything else.

    Args:
        text: what a model wrote.
        names: the tools that are bound; none: a call of any name counts.
    """
    if not text.strip() or len(text) > _LONGEST:
        return []
    try:
        values = storable(list(_values(text)))
        calls = [call for value in values if (call := _call(value, names))]
    except RecursionError:  # nested without end
        return []
    return calls if len(calls) == len(values) else []


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that make up a text, a list as its items; ``None`` for what is none."""
    blocks = _TAGGED.findall(text)
    if blocks and _TAGGED.sub("", text).strip():
        yield None
    fenced = _FENCED.fullmatch(text.strip())
    for block in blocks or [fenced[1] if fenced else text]:
        try:
            value = json.loads(block)
        except ValueError:
            value = None
        yield from value if isinstance(value, list) and value else [value]


def _call(value: Any, names: Collection[str] | None) -> ToolCall | None:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    if names is not None and value["name"] not in names:
        return None
    given = [key for key in value if key in _ARGUMENTS]
    if len(given) != 1 or len(value) != len(given) + 1:
        return None
    args = value[given[0]]
    if isinstance(args, str):
        try:
            args = storable(json.loads(args))
        except ValueError:
            return None
    return (
        ToolCall(name=value["name"], args=args, id="", type="tool_call") if isinstance(args, dict) else None
    )


def _new_id(reply: AIMessage, place: int, taken: int) -> str:
    digest = blake2b(f"{reply.id}\0{place}\0{taken}\0{reply.text}".encode(errors="replace"), digest_size=9)
    return f"call_{digest.hexdigest()}"
