"""Model and search that answer at once: what is left of a turn is the graph itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

import nodes.look_up
import nodes.scene
from graph.support import Support
from nodes.log import current_turn
from nodes.passages import SEARCH_TOOL
from store.sample import SAMPLE
from store.search import Passage, search

QUESTION = "年付套餐买错了能退款吗"


class AtOnce(BaseChatModel):
    """A model that takes no time: it calls the search for its question, then says one sentence with its source."""

    answer: str

    @property
    def _llm_type(self) -> str:
        return "at-once"

    def bind_tools(self, *_: Any, **__: Any) -> "AtOnce":
        """Take any tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        searched = any(isinstance(message, ToolMessage) for message in current_turn(messages))
        call = {"name": SEARCH_TOOL, "args": {"query": QUESTION}, "id": uuid4().hex}
        said = AIMessage(self.answer) if searched else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=said)])


@asynccontextmanager
async def at_once(support: Support) -> AsyncIterator[tuple[AtOnce, list[Passage]]]:
    """Search once for all, and let the product answer with what was found; yield the model and the passages."""
    found = await search(support.resources.knowledge, QUESTION, collection=SAMPLE)
    sentence = found[0].text.replace("\n", "").partition("。")[0]
    model = AtOnce(answer=f"{sentence}。[{found[0].id}]")

    async def given(*_: Any, **__: Any) -> list[Passage]:
        return found

    with (
        patch.object(nodes.scene, "chat_model", lambda *_: model),
        patch.object(nodes.look_up, "search", given),
    ):
        yield model, found
