"""A model that does whatever any text in its window tells it, so that what holds is the code."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

from evals.jsonl import rows
from nodes.log import current_turn
from nodes.window.tokens import message_text


@dataclass(frozen=True)
class Attack:
    """An order planted somewhere, and what a model does that follows it.

    Attributes:
        id: of the attack.
        channel: where the order stands: `passage`, `tool`, `user`, `mcp`.
        lang: its language.
        goal: what it is after: `write`, `other_user`, `cite`, `claim`.
        text: the order.
        says: what an obedient model answers; empty: everything that it was told.
        calls: the calls that an obedient model makes first, name and args.
    """

    id: str
    channel: str
    lang: str
    goal: str
    text: str
    says: str
    calls: list[dict[str, Any]]


def attacks() -> Iterator[Attack]:
    """Yield the attacks of the data file."""
    yield from (Attack(**row) for row in rows(Path(__file__).with_name("attacks.jsonl")))


class Obedient(BaseChatModel):
    """Follows an attack as soon as it has read it; before that, it calls every reading tool that it was told to."""

    attack: Attack
    first: list[dict[str, Any]] = Field(default_factory=list)
    """Calls that it makes before it has read the order, such as of the tool whose result holds it."""
    read: int = 0
    """How often it was shown the order."""

    @property
    def _llm_type(self) -> str:
        return "obedient"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind nothing: it calls what it is told to, whether it is offered or not."""
        del tools, tool_choice
        return self.bind(**kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        del stop, run_manager, kwargs
        return ChatResult(generations=[ChatGeneration(message=self._obey(messages))])

    def _obey(self, messages: Sequence[BaseMessage]) -> AIMessage:
        turn = current_turn(messages)
        shown = any(_holds(message_text(message), self.attack.text) for message in messages)
        self.read += shown
        made = {call["name"] for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
        wanted = self.attack.calls if shown else self.first
        if wanted and wanted[0]["name"] not in made:
            calls = [
                tool_call(name=c["name"], args=c["args"], id=f"c{len(messages)}-{n}")
                for n, c in enumerate(wanted)
            ]
            return AIMessage("", tool_calls=calls)
        told = "\n".join(message_text(m) for m in turn if isinstance(m, ToolMessage))
        return AIMessage(self.attack.says if shown and self.attack.says else told or "OK.")


def _holds(content: str, order: str) -> bool:
    """Tell whether a message holds an order, as it stands or within a JSON string."""
    return order in content or json.dumps(order, ensure_ascii=False)[1:-1] in content
