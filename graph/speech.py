"""What a user hears of a running turn: the answer's text, without what is not for them."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage

from nodes.citations import CitationStream
from nodes.passages import passages_in

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
        self._said = False

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
            begun = self.close() + ("\n\n" if self._said else "")
            self._message = chunk.id
        self._said = True
        return begun + self._stream.feed(chunk.text)

    def close(self) -> str:
        """Return what was held back at the end of a message."""
        return self._stream.close()
