"""The log of a thread with what its messages are to each other: turns, pairs of call and result, handles."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage


@dataclass(slots=True)
class Log:
    """An index over the messages of one thread, from a position on; the messages are never changed.

    A position is a message's place in the thread, from 0. A turn is one user message and everything after it
    up to the next; turns count from 1, and what stands before the first user message is turn 0.
    """

    messages: Sequence[BaseMessage]
    begin: int = 0
    """The first position that is indexed."""
    first_turn: int = 1
    """The number of the turn that ``starts[0]`` begins."""
    starts: list[int] = field(default_factory=list)
    """Position of the first message of each turn."""
    systems: list[int] = field(default_factory=list)
    """Positions of system messages, which belong to no turn."""
    results: dict[int, list[int | None]] = field(default_factory=dict)
    """Position of an assistant message with calls → positions of their results, None where one is missing."""
    waiting: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Id of a call without a result yet → its message's position and its place there."""

    @classmethod
    def of(cls, messages: Sequence[BaseMessage], begin: int = 0, turn: int | None = None) -> "Log":
        """Index a thread, or only its newest part, whose first message begins a turn with a known number.

        Args:
            messages: the whole thread.
            begin: the position to index from; what stands before costs nothing.
            turn: the number of the turn that begins there; counted when the whole thread is indexed.
        """
        log = cls(messages, begin)
        log.grow(messages, begin)
        opening = log.starts and not isinstance(messages[log.starts[0]], HumanMessage)
        log.first_turn = turn if turn is not None else int(not opening)
        return log

    def grow(self, messages: Sequence[BaseMessage], known: int) -> None:
        """Take over the thread as it has become, indexing what follows the first `known` messages."""
        self.messages = messages
        for position in range(known, len(messages)):
            self._add(position, messages[position])

    def key(self, position: int) -> str:
        """Return the key under which decisions about a message are kept: its id, or its position without one."""
        return self.messages[position].id or f"#{position}"

    @property
    def last_turn(self) -> int:
        """The number of the newest turn."""
        return self.first_turn + len(self.starts) - 1

    def start(self, turn: int) -> int:
        """Return the position at which a turn starts; the log's end for the turn after the newest."""
        index = turn - self.first_turn
        return self.starts[index] if index < len(self.starts) else len(self.messages)

    def turn(self, number: int) -> list[BaseMessage]:
        """Return the messages of a turn, without system messages."""
        window = self.messages[self.start(number) : self.start(number + 1)]
        return [message for message in window if not isinstance(message, SystemMessage)]

    def turn_of(self, position: int) -> int:
        """Return the number of the turn that holds a position."""
        return self.first_turn + max(0, bisect_right(self.starts, position) - 1)

    def steps(self, begin: int, end: int | None = None) -> Iterator[int]:
        """Yield the positions of user and assistant messages; results belong to their assistant message."""
        for position in range(begin, len(self.messages) if end is None else end):
            if not isinstance(self.messages[position], ToolMessage | SystemMessage):
                yield position

    def question(self) -> int:
        """Return the position of the newest user message.

        Raises:
            ValueError: the log holds no user message.
        """
        if not self.starts or not isinstance(self.messages[self.starts[-1]], HumanMessage):
            raise ValueError("The log holds no user message: append the user's message first.")
        return self.starts[-1]

    def _add(self, position: int, message: BaseMessage) -> None:
        if isinstance(message, ToolMessage):
            if owner := self.waiting.pop(message.tool_call_id, None):
                self.results[owner[0]][owner[1]] = position
            return
        if isinstance(message, SystemMessage):
            self.systems.append(position)
            return
        if isinstance(message, HumanMessage) or not self.starts:
            self.starts.append(position)
        if isinstance(message, AIMessage) and (ids := call_ids(message)):
            self.results[position] = [None] * len(ids)
            self.waiting |= {call: (position, slot) for slot, call in enumerate(ids)}


def call_ids(message: AIMessage) -> list[str]:
    """Return the ids of a message's calls, those with malformed arguments included: both are sent."""
    return [call["id"] or "" for call in (*message.tool_calls, *message.invalid_tool_calls)]


def handle(position: int) -> str:
    """Return the handle of a result: short, and the same in every window of its thread."""
    return f"r{position}"
