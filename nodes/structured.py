"""Structured output from any model: the strictest method that the endpoint knows, then reading what came."""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from nodes.models import cleaned, endpoint, invoke, model_errors, usage_of
from nodes.state import NO_USAGE, Usage, add_usage

Schema = TypeVar("Schema", bound=BaseModel)
Method = Literal["json_schema", "function_calling", "json_mode"]

_METHODS: tuple[Method, ...] = ("json_schema", "function_calling", "json_mode")
_FENCE = re.compile(r"```(?:json)?\s*(.*?)(?:```|$)", re.DOTALL)
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Structured(Generic[Schema]):
    """What a model answered.

    Attributes:
        parsed: the answer in the form of the schema; ``None`` when nothing of it can be read.
        raw: the answer as it came; empty when the endpoint gave none.
        usage: what the calls took that had an answer.
    """

    parsed: Schema | None
    raw: str
    usage: Usage


async def structured(
    model: BaseChatModel, schema: type[Schema], messages: Sequence[BaseMessage]
) -> Structured[Schema]:
    """Ask for an answer in the form of a schema, by the strictest way that the endpoint accepts and keeps to.

    An internal call: no user's stream shows its tokens.

    Args:
        model: any chat model.
        schema: the form.
        messages: the request; it describes the form in words as well, for endpoints that know no method.

    Raises:
        ModelError: the endpoint is out of reach or refuses the call in every form.
    """
    raw, usage = "", NO_USAGE
    for method in _METHODS:
        asked = await _ask(model, schema, method, messages)
        if asked is None:
            continue
        answer, parsed = asked
        raw = _text(answer)
        usage = add_usage(usage, usage_of(answer))
        if (read := parsed or read_json(raw, schema)) is not None:
            return Structured(cleaned(read), raw, usage)
    if not raw:
        answer = await invoke(model.with_config(tags=[TAG_NOSTREAM]), messages)
        raw, usage = answer.text, add_usage(usage, usage_of(answer))
    read = read_json(raw, schema)
    return Structured(cleaned(read) if read else None, raw, usage)


async def _ask(
    model: BaseChatModel, schema: type[Schema], method: Method, messages: Sequence[BaseMessage]
) -> tuple[AIMessage, Schema | None] | None:
    """Ask by one method; return the answer, and what it fills in if it keeps to it, or nothing if it is not known.

    It is not streamed: the client reads a streamed answer of this kind itself, and fails where it does not keep to the form.
    """
    whole = model.model_copy(update={"disable_streaming": True})
    with model_errors():
        try:
            asked = whole.with_structured_output(schema, method=method, include_raw=True)
            filled = await asked.with_config(tags=[TAG_NOSTREAM]).ainvoke(list(messages))
        except ValidationError as error:  # the client reads the answer itself, and keeps it to itself
            return AIMessage(str(error.errors()[0]["input"])), None
        except _unknown_method():
            return None
    parsed = filled["parsed"] if isinstance(filled, dict) else filled
    raw = filled["raw"] if isinstance(filled, dict) else None
    answer = raw if isinstance(raw, AIMessage) else AIMessage("")  # it may be a message of another role
    return answer, parsed if isinstance(parsed, schema) else None


def _unknown_method() -> tuple[type[Exception], ...]:
    """Return what is raised where an endpoint does not know a method; asked for only after a failure."""
    kinds: tuple[type[Exception], ...] = endpoint().UNKNOWN_METHOD
    return kinds


def read_json(raw: str, schema: type[Schema]) -> Schema | None:
    """Read an answer that ought to be JSON: in fences, in prose, cut off, with single quotes or a bare list.

    Args:
        raw: what the model wrote.
        schema: the form; a bare list fills its only list field.

    Returns:
        ``None`` when it holds nothing of that form.
    """
    for value in _values(raw):
        bare = {next(iter(schema.model_fields)): value} if isinstance(value, list) else value
        try:
            return schema.model_validate(bare)
        except ValidationError:
            continue
    return None


def _values(raw: str) -> list[Any]:
    found = []
    for text in (*(m[1] for m in _FENCE.finditer(raw)), raw):
        begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
        if begin < 0:
            continue
        candidate = _TRAILING_COMMA.sub(r"\1", text[begin:])
        for attempt in (candidate, _closed(candidate)):
            try:
                found.append(json.JSONDecoder(strict=False).raw_decode(attempt)[0])
            except (ValueError, RecursionError):
                found += _literal(attempt)
    return found


def _literal(text: str) -> list[Any]:
    try:
        return [ast.literal_eval(text.strip())]
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return []


def _closed(text: str) -> str:
    """Close what a cut-off answer left open, behind the last complete object."""
    text = text[: text.rfind("}") + 1] or text
    open_brackets: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            escaped = character == "\\" and not escaped
            in_string = character != '"' or escaped
        elif character == '"':
            in_string = True
        elif character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif character in _CLOSING.values() and open_brackets:
            open_brackets.pop()
    return text + "".join(reversed(open_brackets))


def _text(message: BaseMessage) -> str:
    """Return an answer's text, or the arguments of its calls where it has none."""
    calls = [*getattr(message, "tool_calls", []), *getattr(message, "invalid_tool_calls", [])]
    arguments = [
        c["args"] if isinstance(c["args"], str) else json.dumps(c["args"], ensure_ascii=False) for c in calls
    ]
    return message.text or "\n".join(arguments)
