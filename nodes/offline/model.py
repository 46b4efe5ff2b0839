"""The built-in offline chat model: deterministic, extractive, honest about being no more than that."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import ToolCall, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field, PrivateAttr, SkipValidation

from nodes.offline.meaning import nearness
from nodes.offline.notes import asks_for_notes, write_notes
from nodes.offline.policy import Call, next_calls
from nodes.offline.reply import compared_texts, reply
from nodes.offline.request import read_request
from nodes.offline.rules import has_rule, rule
from nodes.offline.usage import PrefixCache, request_parts, usage
from nodes.window.tokens import HAN, compact_json
from store.embedding import Embedder

MODEL_NAME = "offline"

_PIECE = re.compile(rf"\s*(?:\[[^\[\]\s]+\]|(?:{HAN.pattern}){{1,4}}|[^\s\[{HAN.pattern[1:-1]}]+|\S)\s*")


class OfflineChatModel(BaseChatModel):
    """Answers by quoting the passages in its messages, each quotation with its source.

    It reads what a live model reads (system prompt, history, tool calls with their results, the newest
    user message), calls the tools that are bound, fills the structured outputs that have a rule
    (`nodes.offline.rules`), streams and reports usage. The same messages give the same answer, byte
    for byte.

    Attributes:
        embedder: compares meanings, so that a question in other words or another language finds its
            sentence; without one only words are compared.
    """

    embedder: SkipValidation[Embedder | None] = Field(default=None, exclude=True)
    _cache: PrefixCache = PrivateAttr(default_factory=PrefixCache)

    @property
    def _llm_type(self) -> str:
        return MODEL_NAME

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools, so that the model may call them.

        Args:
            tools: functions, LangChain tools, schemas or their JSON form.
            tool_choice: ``any`` or a name makes a structured output be filled.
            **kwargs: handed on to the call.
        """
        return self.bind(
            tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs
        )

    def with_structured_output(
        self, schema: dict[str, Any] | type, *, include_raw: bool = False, **kwargs: Any
    ) -> Runnable[LanguageModelInput, dict[str, Any] | BaseModel]:
        """Return this model with its answers in the form of a schema that has a rule.

        Args:
            schema: a pydantic model, or its JSON schema, whose name is registered.
            include_raw: also return the message and the parsing error.
            **kwargs: `method` and `strict` are accepted and mean nothing here.

        Raises:
            ModelError: no rule fills that schema.
        """
        rule(convert_to_openai_tool(schema)["function"]["name"])
        return super().with_structured_output(schema, include_raw=include_raw, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - an extract has no stop words
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - nothing happens on the way
        **kwargs: Any,
    ) -> ChatResult:
        return _result(self._respond_blocking(messages, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - as above
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: Any,
    ) -> ChatResult:
        return _result(await self._respond(messages, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - as above
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in chunks(self._respond_blocking(messages, **kwargs)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - as above
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in chunks(await self._respond(messages, **kwargs)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _respond_blocking(self, messages: Sequence[BaseMessage], **kwargs: Any) -> AIMessage:
        """Respond from code without an event loop; a thread of its own, for the caller's may have one."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(self._respond(messages, **kwargs))).result()

    async def _respond(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]] = (),
        tool_choice: str | None = None,
        **_: Any,
    ) -> AIMessage:
        parts = request_parts(messages, tools)
        if asks_for_notes(messages):
            message = AIMessage(write_notes(messages))
        elif filled := await asyncio.to_thread(filled_schema, messages, tools, tool_choice):
            message = AIMessage("", tool_calls=[_tool_call(parts, 0, filled)])
        else:
            request = await asyncio.to_thread(read_request, messages)
            near = await nearness(await asyncio.to_thread(compared_texts, request), self.embedder)
            names = frozenset(tool["function"]["name"] for tool in tools if tool_choice != "none")
            calls = await asyncio.to_thread(next_calls, request, names, near) if names else []
            text = "" if calls else await asyncio.to_thread(reply, request, near)
            message = AIMessage(text, tool_calls=[_tool_call(parts, n, c) for n, c in enumerate(calls)])
        message.usage_metadata = usage(parts, message, self._cache.read(parts))
        message.response_metadata = {
            "model_name": MODEL_NAME,
            "finish_reason": "tool_calls" if message.tool_calls else "stop",
        }
        return message


def filled_schema(
    messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], tool_choice: str | None
) -> Call | None:
    """Return the call that fills the structured output that is asked for; nothing if none is."""
    if tool_choice in {None, "auto", "none"}:
        return None
    schema = next((name for tool in tools if has_rule(name := tool["function"]["name"])), None)
    return Call(schema, rule(schema)(messages).model_dump(mode="json")) if schema else None


def chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Cut an answer into pieces of a few characters or one word; a citation stays whole."""
    for piece in _PIECE.findall(message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    calls = [
        tool_call_chunk(name=c["name"], args=compact_json(c["args"]), id=c["id"], index=n)
        for n, c in enumerate(message.tool_calls)
    ]
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            tool_call_chunks=calls,
            usage_metadata=message.usage_metadata,
            response_metadata=message.response_metadata,
            chunk_position="last",
        )
    )


def _result(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def _tool_call(parts: tuple[str, ...], place: int, call: Call) -> ToolCall:
    """Return a tool call whose id follows from the whole request, so that no two of a thread are alike."""
    content = "\0".join((*parts, str(place), call.name, compact_json(call.args)))
    digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()
    return ToolCall(name=call.name, args=call.args, id=f"call_{digest[:20]}", type="tool_call")
