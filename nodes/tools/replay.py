"""The replay tools: what left the window, or was cut in it, fetched back word for word."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from threading import Lock

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from nodes.tools.turn import Turn, tier
from nodes.window import History, WindowPlan
from nodes.window import read_result as page_of
from nodes.window import recall_history as excerpts_about
from store.embedding import Vector
from store.errors import RetrievalError

WORDS_ALONE = (
    "按含义查找暂不可用，以上只按字词找到；没找到请换原话中的词再查 "
    "The search by meaning is out of reach: this is by words alone. Try other words of the original if it is not there."
)


class RecallArgs(BaseModel):
    """Arguments of ``recall_history``."""

    query: str = Field(
        min_length=1,
        max_length=500,
        description="A number, a code, a date, words of the original, or a turn such as T12. 单号、错误码、日期、原话或轮次",
    )


class ReadArgs(BaseModel):
    """Arguments of ``read_result``."""

    handle: str = Field(description="The handle in the stub, such as r12. 存根里的句柄")
    start: int = Field(default=1, ge=1, description="First line, from 1. 起始行")
    lines: int = Field(default=40, ge=1, le=400, description="Lines at most. 最多行数")


@dataclass(slots=True)
class Kept:
    """The searchable texts of a thread, used by one call at a time, also while one that was given up still runs."""

    history: History = field(default_factory=History)
    lock: Lock = field(default_factory=Lock)

    def excerpts(self, query: str, turn: Turn, known: Mapping[str, Vector] | None) -> str:
        """Return what a thread said about something.

        Args:
            query: what is searched for.
            turn: the thread as it stands.
            known: vectors by text; nothing: words alone are compared.

        Raises:
            _UnknownTextsError: the search needs further vectors.
        """
        embedder = None if known is None else partial(_vectors, known)
        hidden = WindowPlan.from_dict(turn.plan).hidden
        with self.lock:
            return excerpts_about(query, turn.log, history=self.history, embedder=embedder, hidden=hidden)


def _vectors(known: Mapping[str, Vector], texts: list[str]) -> list[Vector]:
    if unknown := [text for text in dict.fromkeys(texts) if text not in known]:
        raise _UnknownTextsError(unknown)
    return [known[text] for text in texts]


class _UnknownTextsError(Exception):
    """A search came to texts without a vector."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(f"{len(texts)} texts have no vector")
        self.texts = texts


@lru_cache(maxsize=64)
def _kept(thread: str) -> Kept:  # noqa: ARG001  # what it is kept by
    return Kept()


def recall_history(turn: Turn) -> BaseTool:
    """Return the tool that searches the whole thread, by words and by meaning; by words alone, and it says so, without an embedder."""

    async def run(query: str) -> str:
        kept = _kept(turn.thread) if turn.thread else Kept()
        known: dict[str, Vector] = {}
        while True:  # a thread that waited for the embedder would keep from it the thread that it needs
            try:
                return await asyncio.to_thread(kept.excerpts, query, turn, known)
            except _UnknownTextsError as more:
                texts = more.texts
            try:
                made = await turn.opened.knowledge.embedder.embed_documents(texts)
            except RetrievalError:
                return f"{await asyncio.to_thread(kept.excerpts, query, turn, None)}\n\n{WORDS_ALONE}"
            known.update(zip(texts, made, strict=True))

    return StructuredTool(
        name="recall_history",
        description=(
            "Find what was said earlier in this conversation and has left the window, word for word. "
            "Use it before you say that something was not mentioned. 找回本次对话中已离开窗口的原文;说「没有提过」之前先用它。"
        ),
        args_schema=RecallArgs,
        coroutine=run,
        metadata=tier("read"),
    )


def read_result(turn: Turn) -> BaseTool:
    """Return the tool that pages through a cleared or cut tool result."""

    async def run(handle: str, start: int = 1, lines: int = 40) -> str:
        hidden = WindowPlan.from_dict(turn.plan).hidden
        return page_of(handle, turn.log, start, lines, hidden=hidden)

    return StructuredTool(
        name="read_result",
        description="Read a tool result that is shown as a handle or was cut. 读取只显示为句柄、或被截短的工具结果。",
        args_schema=ReadArgs,
        coroutine=run,
        metadata=tier("read"),
    )
