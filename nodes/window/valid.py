"""The validator: what every provider asks of the messages of a request, checked on the list that is sent."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.window.log import call_ids


class InvalidWindowError(ValueError):
    """A window that a provider would refuse; a defect of this package, never of the conversation."""


def check_window(messages: Sequence[BaseMessage]) -> None:
    """Check the messages of a request.

    Raises:
        InvalidWindowError: the message names every rule that is broken and where.
    """
    if broken := problems(messages):
        raise InvalidWindowError("; ".join(broken) + ". The call was not sent; report the thread.")


def problems(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the rules that a list of messages breaks, with positions; empty for a valid request."""
    broken = []
    if [i for i, m in enumerate(messages) if isinstance(m, SystemMessage)] not in ([], [0]):
        broken.append("more than one system message, or one that is not in front")
    if not any(isinstance(m, HumanMessage) for m in messages):
        broken.append("no user message")
    open_calls: list[str] = []
    for position, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if message.tool_call_id in open_calls:
                open_calls.remove(message.tool_call_id)
            else:
                broken.append(f"message {position}: a result without its call in front of it")
            continue
        if open_calls:
            broken.append(f"message {position}: calls before it have no result")
        open_calls = call_ids(message) if isinstance(message, AIMessage) else []
        if "" in open_calls or len(set(open_calls)) < len(open_calls):
            broken.append(f"message {position}: a call without an id, or two with the same")
    return [*broken, "the last calls have no result"] if open_calls else broken
