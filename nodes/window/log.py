"""The log of a thread with what is derived from each message once: turns, pairs of call and result, handles."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.window.estimator import Counts, message_counts


@dataclass(slots=True)
class Log:
    """An index over the messages of one thread that grows with them; messages are never changed.

    A position is a message's place in the thread, from 0. A turn is one user message and everything after it
    up to the next; turns count from 1, and what stands before the first user message is turn 0.
    """

    messages: list[BaseMessage] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Position of the first message of each turn."""
    first_turn: int = 1
    """Number of the turn that ``starts[0]`` begins: 0 if the thread opens without a user message."""
    systems: list[int] = field(default_factory=list)
    """Positions of system messages, which belong to no turn."""
    results: dict[int, list[int | None]] = field(default_factory=dict)
    """Position of an assistant message with calls → positions of their results, None where one is missing."""
    positions: dict[str, int] = field(default_factory=dict)
    """Message key → position."""
    _open: dict[str, tuple[int, int]] = field(default_factory=dict)
    _counts: dict[int, Counts] = field(default_factory=dict)

    @classmethod
    def of(cls, messages: "Sequence[BaseMessage] | Log") -> "Log":
        """Return the log of a list of messages; a log is returned as it is."""
        return messages if isinstance(messages, Log) else cls().extended(messages)

    def extended(self, messages: Sequence[BaseMessage]) -> "Log":
        """Return the log of a thread that has grown, indexing only what is new.

        Args:
            messages: the whole thread. If it is not this log continued (another branch), a new log is built.
        """
        known = len(self.messages)
        if known > len(messages) or (known and key(messages[known - 1], known - 1) != self.key(known - 1)):
            return Log().extended(messages)
        for position in range(known, len(messages)):
            self._append(position, messages[position])
        return self

    def key(self, position: int) -> str:
        """Return the key under which decisions about a message are kept: its id."""
        return key(self.messages[position], position)

    def counts(self, position: int) -> Counts:
        """Return what a message in full is made of; counted once."""
        if position not in self._counts:
            self._counts[position] = message_counts(self.messages[position])
        return self._counts[position]

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
        low, high = 0, len(self.starts)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= position else (low, middle)
        return self.first_turn + low

    def steps(self, begin: int, end: int | None = None) -> Iterator[int]:
        """Yield the positions of user and assistant messages; results follow their assistant message."""
        for position in range(begin, len(self.messages) if end is None else end):
            if not isinstance(self.messages[position], ToolMessage | SystemMessage):
                yield position

    def question(self) -> int:
        """Return the position of the newest user message.

        Raises:
            ValueError: the log holds no user message.
        """
        start = self.starts[-1] if self.starts else 0
        if not self.starts or not isinstance(self.messages[start], HumanMessage):
            raise ValueError(
                "The log holds no user message; append the user's message before building a window."
            )
        return start

    def _append(self, position: int, message: BaseMessage) -> None:
        self.messages.append(message)
        self.positions[key(message, position)] = position
        if isinstance(message, SystemMessage):
            self.systems.append(position)
            return
        if isinstance(message, HumanMessage) or not self.starts:
            if not self.starts:
                self.first_turn = int(isinstance(message, HumanMessage))
            self.starts.append(position)
        if isinstance(message, AIMessage):
            self._open_calls(position, message)
        elif isinstance(message, ToolMessage) and message.tool_call_id in self._open:
            owner, slot = self._open.pop(message.tool_call_id)
            self.results[owner][slot] = position

    def _open_calls(self, position: int, message: AIMessage) -> None:
        ids = call_ids(message)
        if not ids:
            return
        self.results[position] = [None] * len(ids)
        self._open |= {call: (position, slot) for slot, call in enumerate(ids)}


def key(message: BaseMessage, position: int) -> str:
    """Return a message's id, or its position where it has none."""
    return message.id or f"#{position}"


def call_ids(message: AIMessage) -> list[str]:
    """Return the ids of a message's calls, those with malformed arguments included: both are sent."""
    calls = [*message.tool_calls, *message.invalid_tool_calls]
    return [call["id"] or "" for call in calls]


def handle(position: int) -> str:
    """Return the handle of a result: short, and the same in every window of its thread."""
    return f"r{position}"
