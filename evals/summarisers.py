"""Scripted summarisers: one that is ideal, three that are bad on purpose."""

import re
from collections.abc import Awaitable, Callable

from langchain_core.messages import AIMessage, BaseMessage

from evals.dialogues import Dialogue
from nodes.window.tokens import content_text

Summariser = Callable[[list[BaseMessage]], Awaitable[BaseMessage]]
SUMMARISERS = ("oracle", "empty", "truncating", "lying")
"""Their names, the ideal one first."""

_ASKED = re.compile(r"Turns: (.*)", re.DOTALL)


def summarisers(dialogue: Dialogue) -> dict[str, Summariser]:
    """Return the four summarisers of a dialogue, by name.

    The oracle writes the ideal note of every turn that it is asked about, from the data set; in a data set
    without notes, what the user asked and that it was answered. The truncating one stops in the middle of a
    line, the lying one changes every value and swaps what it can, the empty one says nothing.
    """
    has_notes = any(turn.note for turn in dialogue.turns)

    def ideal(messages: list[BaseMessage]) -> str:
        asked = _ASKED.search(content_text(messages[-1].content))
        numbers = (
            sorted({int(n) for n in re.findall(r"\bT(\d+)\b", asked[1].split("# notes so far")[0])})
            if asked
            else []
        )
        lines: dict[str, list[str]] = {}
        for number in numbers:
            turn = dialogue.turns[number - 1]
            if text := turn.note or ("" if has_notes else plain_note(turn.user)):
                lines.setdefault(turn.heading if turn.note else "questions", []).append(f"- T{number} {text}")
        return "\n".join(f"## {heading}\n" + "\n".join(found) for heading, found in lines.items()) or "none"

    return {
        "oracle": _saying(ideal),
        "empty": _saying(lambda _: ""),
        "truncating": _saying(lambda messages: ideal(messages)[:60]),
        "lying": _saying(lambda messages: lie(ideal(messages))),
    }


def plain_note(user: str) -> str:
    """Return what an ideal summary says of a turn about a record: the request, without its values."""
    words = re.sub(r"[A-Za-z]*[-\d][\w.,$-]*[元日月]?", "", user)
    return f"{words.strip()[:18]}… → 已答复"


def lie(text: str) -> str:
    """Return notes that say something else: other numbers in every line, and an invented one in those without."""
    changed = re.sub(r"(?<![A-Za-z\d])(\d+)", r"\g<1>7", text)
    return re.sub(r"(?m)^(- T\d+ .*)$", r"\1 共9731元", changed)


def _saying(say: Callable[[list[BaseMessage]], str]) -> Summariser:
    async def model(messages: list[BaseMessage]) -> BaseMessage:
        return AIMessage(say(messages))

    return model
