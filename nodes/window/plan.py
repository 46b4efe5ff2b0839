"""The window plan: the few facts from which a window is derived, kept by message id and sticky."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from langchain_core.messages import BaseMessage, HumanMessage

from nodes.window.ledger import Ledger
from nodes.window.log import Log
from nodes.window.notes import Note


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPlan:
    """What the window shows of the log. An empty plan shows all of it; only a move changes it."""

    first: str = ""
    """Key of the first message shown; empty: the log's first."""
    turn: int = 1
    """Number of the turn that ``first`` begins; the turns before it have left the window."""
    cleared: frozenset[str] = frozenset()
    """Keys of results that are shown as a stub."""
    shortened: Mapping[str, int] = field(default_factory=dict)
    """Key of a message → characters that are shown of it."""
    omitted: frozenset[str] = frozenset()
    """Keys of assistant messages of the newest turn that left with their results."""
    user: str = ""
    """The user zone, as it was at the last move."""
    ledger: Ledger = field(default_factory=Ledger)
    notes: tuple[Note, ...] = ()
    fresh: tuple[Note, ...] = ()
    """What was refuted or abandoned since the last move: part of the notes from the next one on."""
    hidden: tuple[str, ...] = ()
    """Words that a user asked to be forgotten; no window shows them from now on."""
    moved_at: str = ""
    """Key of the newest question at the last move: what stood in front of older ones is no longer shown."""
    unwritten: int = 0
    """The oldest turn that left and that the notes do not cover yet; 0: none."""
    failures: int = 0
    """Compactions that failed in a row."""
    moves: int = 0
    opened: bool = False
    """Whether the plan has been used; until then its user zone is open."""

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain JSON values, for a checkpoint to keep."""
        plain = asdict(self)
        sets = {name: sorted(plain[name]) for name in ("cleared", "omitted")}
        return plain | sets | {"shortened": dict(sorted(plain["shortened"].items()))}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any] | None) -> Self:
        """Rebuild a plan from :meth:`to_dict`; nothing gives the empty plan."""
        if not plain:
            return cls()
        ledger = dict(plain["ledger"])
        built = {
            "cleared": frozenset(plain["cleared"]),
            "omitted": frozenset(plain["omitted"]),
            "ledger": Ledger(**(ledger | {"lines": tuple(ledger["lines"])})),
            "notes": tuple(map(_note, plain["notes"])),
            "fresh": tuple(map(_note, plain["fresh"])),
            "hidden": tuple(plain["hidden"]),
        }
        return cls(**(dict(plain) | built))


def shown(plan: WindowPlan, messages: Sequence[BaseMessage]) -> Log:
    """Index the part of a thread that a plan shows; what left the window costs nothing.

    A plan whose first message the thread does not hold, or holds inside a turn, shows the whole thread.
    """
    begin = _position(plan.first, messages) if plan.first else None
    return Log.of(messages) if begin is None else Log.of(messages, begin, plan.turn)


def mark_refuted(plan: WindowPlan, turn: int, reason: str) -> WindowPlan:
    """Record that what was said in a turn is wrong, and why.

    The record stands in front of the next question at once (:func:`corrections`), and in the notes from the
    next move on, where the turn's line in the ledger is marked too.

    Args:
        plan: the plan so far.
        turn: number of the turn that holds the error.
        reason: what was believed and why it is wrong, in one line.
    """
    return _recorded(plan, Note("refuted", (turn,), reason))


def mark_abandoned(plan: WindowPlan, turn: int, tried: str, why: str) -> WindowPlan:
    """Record an attempt that was given up, so that the model does not walk the same path again.

    Args:
        plan: the plan of the checkpoint that the thread goes back to.
        turn: number of the turn from which another path is taken.
        tried: what was tried.
        why: why it was given up.
    """
    return _recorded(plan, Note("abandoned", (turn,), f"{tried} → {why}"))


def hide(plan: WindowPlan, words: Sequence[str]) -> WindowPlan:
    """Hide words in every later window; the longest first, so that a part does not keep the whole from going."""
    known = {word for word in (*plan.hidden, *words) if word}
    return replace(plan, hidden=tuple(sorted(known, key=lambda word: (-len(word), word))))


def corrections(plan: WindowPlan) -> list[str]:
    """Return the lines about refuted and abandoned turns that the notes do not hold yet."""
    return [_CORRECTION[note.heading].format(turn=note.turns[0], text=note.text) for note in plan.fresh]


_CORRECTION = {
    "refuted": "更正 correction: T{turn} 有误 is wrong, do not build on it: {text}",
    "abandoned": "已放弃 abandoned after T{turn}, do not try again: {text}",
}


def _recorded(plan: WindowPlan, note: Note) -> WindowPlan:
    one_line = replace(note, text=" ".join(note.text.split()))
    return plan if one_line in plan.fresh + plan.notes else replace(plan, fresh=(*plan.fresh, one_line))


def _note(plain: Mapping[str, Any]) -> Note:
    return Note(plain["heading"], tuple(plain["turns"]), plain["text"])


def _position(first: str, messages: Sequence[BaseMessage]) -> int | None:
    """Return where a user message stands, looking from the end: what is shown is near it."""
    for position in range(len(messages) - 1, -1, -1):
        message = messages[position]
        if isinstance(message, HumanMessage) and (message.id or f"#{position}") == first:
            return position
    return None
