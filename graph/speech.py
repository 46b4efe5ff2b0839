"""What a user hears of a running turn: the answer's text, without what is not for them."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage

from nodes.citations import CitationStream
from nodes.passages import passages_in
from nodes.tools.written import may_be_calls, written_calls
from store.storable import storable

SPEAKING = frozenset({"remember", "call", "ask_back", "not_found", "hand_over"})
"""Nodes whose messages are for the user."""


class Spoken:
    """Turns a run's message stream into the text to show, citations whole and of known passages only."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Begin a turn.

        Args:
            given: the passages that the thread holds so far, by id.
        """
        self._known = set(given)
        self._stream = CitationStream(self._known)
        self._message: str | None = None
        self._said: str | None = None
        self._held = ""

    def take(self, chunk: BaseMessage, node: str) -> str:
        """Take a message or a piece of one; return what of it can be shown now.

        Args:
            chunk: from LangGraph's stream mode ``messages``.
            node: the node that it comes from.
        """
        if isinstance(chunk, ToolMessage):
            self._known.update(passages_in([chunk]))
        if node not in SPEAKING or not isinstance(chunk, AIMessage | AIMessageChunk) or not chunk.text:
            return ""
        begun = ""
        if chunk.id != self._message:
            begun = self.close()
            self._message = chunk.id
        self._held += storable(chunk.text)
        if may_be_calls(self._held):
            return begun
        return begun + self._say()

    def close(self) -> str:
        """Return what was held back at the end of a message; tool calls written as text are none of it."""
        held, self._held = self._held, ""
        if held and not written_calls(held):
            self._held = held
            return self._say() + self._stream.close()
        return self._stream.close() if not held else ""

    def _say(self) -> str:
        """Return the text that is held, as a paragraph of its own where it begins another message."""
        said, self._held = self._held, ""
        apart = "\n\n" if self._said and self._said != self._message else ""
        self._said = self._message
        return apart + self._stream.feed(said)
