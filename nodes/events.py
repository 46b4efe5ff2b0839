"""What a user interface shows beside an answer's text, told over LangGraph's custom stream while a turn runs.

Nothing of it is kept: all is read from what a node returns, so that it says no more and no less than the state.
The events and their fields are listed in ``docs/events.md``.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langgraph.config import get_stream_writer
from langgraph.errors import GraphInterrupt

from nodes.citations import cited_ids
from nodes.passages import passages_in
from nodes.state import State

Event = dict[str, Any]
"""One event: ``type`` and the fields of that type."""
_Given = ParamSpec("_Given")
_Node = Callable[_Given, Awaitable[Mapping[str, Any]]]


def telling(node: _Node[_Given]) -> _Node[_Given]:
    """Return a node that tells what it did when it is done, and what it waits for when it stops for approval.

    Args:
        node: takes the state first.
    """

    @wraps(node)
    async def told(*args: _Given.args, **kwargs: _Given.kwargs) -> Mapping[str, Any]:
        tell = get_stream_writer()
        try:
            update = await node(*args, **kwargs)
        except GraphInterrupt as stop:
            for asked in stop.args[0] if stop.args else ():
                tell({"type": "approval", "id": asked.id, "request": asked.value})
            raise
        state: State = args[0]  # type: ignore[assignment]  # every node takes the state first
        for event in events_of(state, update):
            tell(event)
        return update

    return told


def events_of(state: State, update: Mapping[str, Any]) -> Iterator[Event]:
    """Yield what a node's update means to a user interface.

    Args:
        state: the state before the node.
        update: what the node returned.
    """
    log, written = state.get("messages", []), _messages(update)
    if decision := update.get("decision"):
        yield {"type": "route", **decision}
    asked = _calls((*log, *written)) if any(isinstance(m, ToolMessage) for m in written) else {}
    for message in written:
        yield from _tool_events(message, asked)
    if review := update.get("review"):
        yield from _checked(log, written, review)


def _messages(update: Mapping[str, Any]) -> Sequence[BaseMessage]:
    messages = update.get("messages", ())
    return [m for m in (messages if isinstance(messages, list) else [messages]) if isinstance(m, BaseMessage)]


def _calls(messages: Sequence[BaseMessage]) -> dict[str | None, ToolCall]:
    return {call["id"]: call for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}


def _tool_events(message: BaseMessage, asked: Mapping[str | None, ToolCall]) -> Iterator[Event]:
    if isinstance(message, AIMessage):
        for call in message.tool_calls:
            yield {"type": "tool_call", "id": call["id"], "tool": call["name"], "args": call["args"]}
    if isinstance(message, ToolMessage) and message.tool_call_id in asked:
        ended = {"status": message.status, "ms": (message.artifact or {}).get("ms", 0)}
        name = asked[message.tool_call_id]["name"]
        yield {"type": "tool_result", "id": message.tool_call_id, "tool": name, **ended}
        if passages := passages_in([message]):
            found = [{name: p[name] for name in ("id", "title", "section")} for p in passages.values()]
            yield {"type": "retrieval", "id": message.tool_call_id, "passages": found}


def _checked(
    log: Sequence[BaseMessage], written: Sequence[BaseMessage], review: Mapping[str, Any]
) -> Iterator[Event]:
    """Yield the answer that replaces the streamed one, if one does, then the sources of what now stands."""
    spoken = {m.id for m in log}
    answer = next((m for m in reversed((*log, *written)) if isinstance(m, AIMessage) and m.text), None)
    if answer is None:
        return
    if any(m.id in spoken for m in written if m is answer):
        yield {"type": "revised", "answer": answer.text}
    given = passages_in(log)
    cited = [dict(given[id_]) for id_ in cited_ids(answer.text) if id_ in given]
    yield {"type": "citations", "citations": cited, "review": dict(review)}
