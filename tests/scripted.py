"""A chat model that answers by script, for tests of what the product does with any answer."""

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import PrivateAttr


class Scripted(GenericFakeChatModel):
    """A live model that answers by script and keeps what it was asked, and with which choice of tools."""

    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _choices: list[str | None] = PrivateAttr(default_factory=list)

    def bind_tools(self, tools: Any, *, tool_choice: str | None = None, **kwargs: Any) -> Any:
        return self.bind(tools=tools, tool_choice=tool_choice, **kwargs)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self._asked.append(messages)
        self._choices.append(kwargs.get("tool_choice"))
        return super()._generate(messages, *args, **kwargs)

    def will_say(self, *lines: AIMessage | str) -> None:
        """Set what is said from now on, one line a call."""
        self.messages = iter(lines)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        return self._asked

    @property
    def choices(self) -> list[str | None]:
        return self._choices


class Unstructured(GenericFakeChatModel):
    """A model that writes what it is told to, and knows no way to structure it."""

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


def scripted(*answers: AIMessage | str, usage: Sequence[int] = ()) -> Scripted:
    """Return a model that gives these answers, one a call; it does not stream, for a streamed one reports no usage."""
    messages = [AIMessage(a) if isinstance(a, str) else a for a in answers]
    for message, size in zip(messages, usage, strict=False):
        message.usage_metadata = {"input_tokens": size, "output_tokens": 1, "total_tokens": size + 1}
    return Scripted(messages=iter(messages), disable_streaming=True)


def calling(**calls: dict[str, Any]) -> AIMessage:
    """Return a message that calls tools, by name with arguments."""
    asked = [
        {"name": name, "args": args, "id": f"call-{place}"}
        for place, (name, args) in enumerate(calls.items())
    ]
    return AIMessage("", tool_calls=asked)
