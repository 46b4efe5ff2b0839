"""Chat models that stand in for a real one while others lead a recorded dialogue, and how their requests are counted."""

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

from evals.counting import tokens, wire
from nodes.window.tokens import content_text


class Recorded(BaseChatModel):
    """A chat model that gives the recorded answers in order and keeps what it was asked."""

    answers: list[AIMessage]
    seen: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002  # the signature of a chat model
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **_: Any,
    ) -> ChatResult:
        self.seen.append(list(messages))
        answer = self.answers[len(self.seen) - 1].model_copy(update={"id": None})
        return ChatResult(generations=[ChatGeneration(message=answer)])

    def bind_tools(self, tools: Any, **_: Any) -> "Recorded":  # noqa: ARG002  # answers are recorded
        """Return the model itself: it calls what was recorded."""
        return self

    def get_num_tokens_from_messages(self, messages: Sequence[BaseMessage], tools: Any = None) -> int:  # noqa: ARG002
        """Count exactly."""
        return exact(messages)


class Oracle(BaseChatModel):
    """A summariser that keeps every value that it is shown, word for word."""

    values: list[str]
    seen: list[int] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "oracle"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **_: Any,
    ) -> ChatResult:
        text = "\n".join(content_text(message.content) for message in messages)
        self.seen.append(exact(messages))
        kept = " ".join(value for value in self.values if value in text)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(kept or "none"))])


def exact(messages: Sequence[Any]) -> int:
    """Return the exact tokens of messages; middleware also hands over a single text."""
    if isinstance(messages, str):
        return tokens(messages)
    return sum(tokens(wire(m) if isinstance(m, BaseMessage) else str(m)) for m in messages)
