"""The ledger: must-keep values of the turns that left, one line a turn, taken by code and append-only."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from nodes.window.log import Log
from nodes.window.tokens import content_text
from nodes.window.values import decisions, identifiers, requests, values

MOST_IDENTIFIERS = 24
"""Identifiers that one turn's tool results may give; a longer list is a report, and is read by its handle."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Lines in order of turns, and what became of older ones."""

    lines: tuple[str, ...] = ()
    spilled_to: int = 0
    """The newest turn whose line was replaced by the index line; 0 if none was."""
    spilled_values: int = 0

    def __str__(self) -> str:
        """Return the ledger as it stands in the window."""
        index = (
            [f"T1–T{self.spilled_to}: {self.spilled_values} values, recall_history(number or turn)"]
            if self.spilled_to
            else []
        )
        return "\n".join([*index, *self.lines])

    def appended(self, lines: list[str]) -> "Ledger":
        """Return the ledger with more lines at its end; empty lines are left out."""
        return Ledger((*self.lines, *filter(None, lines)), self.spilled_to, self.spilled_values)

    def before(self, turn: int) -> "Ledger":
        """Return the ledger without lines about a turn or later ones: a fuller line is to replace them."""
        end = len(self.lines)
        while end and line_turn(self.lines[end - 1]) >= turn:
            end -= 1
        return replace(self, lines=self.lines[:end])

    def spilled(self, mark: float, count: Callable[[str], float]) -> "Ledger":
        """Return the ledger with its oldest lines gone down to half the mark, if it is above the mark.

        Args:
            mark: tokens that the ledger may take.
            count: tokens of a text.
        """
        if count("\n".join(self.lines)) <= mark:
            return self
        sizes = [count(line + "\n") for line in self.lines]
        room, keep = mark / 2, len(self.lines)
        while keep and sizes[keep - 1] <= room:
            keep -= 1
            room -= sizes[keep]
        gone = self.lines[:keep]
        return Ledger(
            self.lines[keep:],
            max([self.spilled_to, *map(line_turn, gone)]),
            self.spilled_values + sum(len(line.split()) - 1 for line in gone),
        )

    def marked(self, turns: dict[int, str]) -> "Ledger":
        """Return the ledger with a mark behind the number of the given turns (turn → mark)."""
        lines = tuple(
            line.replace(" ", f"[{turns[line_turn(line)]}] ", 1) if _unmarked(line, turns) else line
            for line in self.lines
        )
        return Ledger(lines, self.spilled_to, self.spilled_values)


def ledger_line(number: int, messages: list[BaseMessage]) -> str:
    """Return a turn's line: what was asked, what was decided, every value said, the identifiers of results.

    Args:
        number: the turn's number.
        messages: the turn, or the part of it that left.

    Returns:
        ``T12 退款 DD2026 496.84元 SP3764``, or nothing if the turn states no value.
    """
    found: dict[str, None] = {}
    from_tools: dict[str, None] = {}
    for message in messages:
        text = content_text(message.content)
        if isinstance(message, ToolMessage):
            from_tools |= dict.fromkeys(identifiers(text))
        elif isinstance(message, HumanMessage):
            found |= dict.fromkeys((*requests(text), *values(text)))
        elif isinstance(message, AIMessage):
            found |= dict.fromkeys((*decisions(text), *values(text)))
    extra = [value for value in from_tools if value not in found]
    more = [f"+{len(extra) - MOST_IDENTIFIERS}"] if len(extra) > MOST_IDENTIFIERS else []
    said = [*found, *extra[:MOST_IDENTIFIERS], *more]
    return " ".join([f"T{number}", *said]) if said else ""


def lines_of(log: Log, begin: int, end: int) -> list[str]:
    """Return the lines of the turns from ``begin`` up to, not including, ``end``."""
    return [ledger_line(turn, log.turn(turn)) for turn in range(begin, end)]


def line_turn(line: str) -> int:
    """Return the number of the turn that a line is about."""
    return int(line[1:].split(" ", 1)[0].split("[", 1)[0])


def _unmarked(line: str, turns: dict[int, str]) -> bool:
    return line_turn(line) in turns and "[" not in line.split(" ", 1)[0]
