"""A chat model that says what a test wrote down, in order."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


class Scripted(BaseChatModel):
    """Says its lines; each request is kept."""

    _lines: list[AIMessage] = PrivateAttr(default_factory=list)
    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def requests(self) -> list[list[BaseMessage]]:
        """What the model was sent."""
        return self._requests

    def will_say(self, *lines: AIMessage | str) -> None:
        """Set the lines."""
        self._lines = [AIMessage(line) if isinstance(line, str) else line for line in lines]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=list(tools), **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self._requests.append(messages)
        return ChatResult(generations=[ChatGeneration(message=self._lines.pop(0))])


def calling(**calls: dict[str, Any]) -> AIMessage:
    """Return a message that calls tools, by name with arguments."""
    asked = [
        {"name": name, "args": args, "id": f"call-{place}"}
        for place, (name, args) in enumerate(calls.items())
    ]
    return AIMessage("", tool_calls=asked)
