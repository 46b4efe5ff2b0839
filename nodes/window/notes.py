"""The notes: prose by a model about the turns that left, accepted line by line after a check by code."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from nodes.window.log import Log, handle
from nodes.window.tokens import message_text
from nodes.window.values import tokens

HEADINGS = ("facts", "questions", "open", "preferences", "refuted", "abandoned", "handles")
STAYING = ("refuted", "abandoned")
"""Headings whose lines are dropped last: without them a model believes, or tries, the same again."""
LONGEST_LINE = 240

_HEADING = re.compile(rf"^\W*({'|'.join(HEADINGS)})\b\W*$", re.IGNORECASE)
_LINE = re.compile(r"^\W*((?:[Tt]\d+\s*(?:[,、/&–-]|and|和|replaces|closes)?\s*)+)[:：.)\]]*\s*(\S.*)$")
_TURN = re.compile(r"[Tt](\d+)")


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the notes, under its heading, with the turns that it rests on."""

    heading: str
    turns: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        """Return the line as it stands in the window."""
        return f"- {','.join(f'T{turn}' for turn in self.turns)} {self.text}"


def parse_notes(text: str) -> tuple[list[Note], int]:
    """Read a model's notes: headings, and under them lines that name their turns.

    Returns:
        the notes, and the number of lines that stand under no heading, name no turn or are too long.
    """
    heading, notes, malformed = "", [], 0
    for line in filter(str.strip, text.splitlines()):
        if found := _HEADING.match(line):
            heading = found[1].lower()
        elif (match := _LINE.match(line)) and heading and len(match[2]) <= LONGEST_LINE:
            turns = tuple(dict.fromkeys(int(number) for number in _TURN.findall(match[1])))
            notes.append(Note(heading, turns, match[2].strip()))
        else:
            malformed += 1
    return notes, malformed


def supported(note: Note, log: Log, left: int) -> bool:
    """Tell whether every number, id, date and amount of a note occurs, whole, in the turns that it names.

    Args:
        note: the line.
        log: the thread.
        left: the newest turn that has left the window; a note about a later one is refused.
    """
    if not all(log.first_turn <= turn <= left for turn in note.turns):
        return False
    known = set().union(*(turn_tokens(log, turn) for turn in note.turns))
    return all(token in known or re.fullmatch(r"t\d+", token) for token in tokens(note.text))


def turn_tokens(log: Log, turn: int) -> frozenset[str]:
    """Return the whole tokens of a turn: of all its messages, and the handles of its results."""
    begin, end = log.start(turn), log.start(turn + 1)
    handles = frozenset(handle(position) for position in range(begin, end))
    return handles.union(*(tokens(message_text(log.messages[position])) for position in range(begin, end)))


def merge(old: Sequence[Note], new: Sequence[Note]) -> tuple[Note, ...]:
    """Return the notes so far with new ones behind; what a new line refutes or closes is taken out.

    A line under ``refuted`` that names an older turn takes out that turn's lines that share a value with it,
    and a line under ``questions`` that names an older turn closes that turn's open points.
    """
    kept = [note for note in old if not any(_replaces(later, note) for later in new)]
    return tuple(dict.fromkeys([*kept, *new]))


def halved(notes: Sequence[Note], chars: int) -> tuple[Note, ...]:
    """Return the notes, dropped to half of ``chars`` if they are longer: the oldest first, refuted ones last."""
    left = list(notes)
    if len(notes_text(left)) <= chars:
        return tuple(left)
    for note in sorted(notes, key=lambda note: note.heading in STAYING):
        if len(notes_text(left)) <= chars // 2:
            break
        left.remove(note)
    return tuple(left)


def notes_text(notes: Sequence[Note]) -> str:
    """Return notes as text: the headings in their fixed order, each with its lines in order of arrival."""
    ordered = sorted(notes, key=lambda note: HEADINGS.index(note.heading))
    return "\n".join(
        "\n".join([f"## {heading}", *map(str, group)])
        for heading, group in groupby(ordered, key=lambda note: note.heading)
    )


def _replaces(later: Note, earlier: Note) -> bool:
    if not set(earlier.turns) & set(later.turns) or earlier.heading in STAYING:
        return False
    if later.heading == "refuted":
        return bool(tokens(earlier.text) & tokens(later.text)) or _alike(earlier.text, later.text)
    return later.heading == "questions" and earlier.heading == "open" and len(later.turns) > 1


def _alike(one: str, other: str) -> bool:
    """Tell whether half of the pairs of characters of a text occur in another."""
    pairs = {one[i : i + 2] for i in range(len(one) - 1)}
    return sum(pair in other for pair in pairs) * 2 > len(pairs)
