"""Short ways to write conversations."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage


def calls(*names: str, prefix: str = "c", text: str = "") -> AIMessage:
    """Return an assistant message that calls the named tools."""
    made = [
        {"id": f"{prefix}{i}", "name": name, "args": {}, "type": "tool_call"} for i, name in enumerate(names)
    ]
    return AIMessage(text, tool_calls=made)


def result(text: str, call: str, *, name: str = "search_kb") -> ToolMessage:
    """Return the result of a call."""
    return ToolMessage(text, tool_call_id=call, name=name)


def group(number: int, text: str, width: int = 1) -> list[BaseMessage]:
    """Return an assistant message with calls and the results that answer them."""
    made = calls(*["search_kb"] * width, prefix=f"g{number}-")
    return [made, *(result(text, str(call["id"])) for call in made.tool_calls)]


def turn(number: int, results: Sequence[str] = (), answer: str | None = None) -> list[BaseMessage]:
    """Return a whole turn: a question, a group for each result, an answer."""
    groups = [m for i, text in enumerate(results) for m in group(100 * number + i, text)]
    return [
        HumanMessage(f"第{number}个问题", id=f"q{number}"),
        *groups,
        AIMessage(answer or f"第{number}个回答", id=f"a{number}"),
    ]
