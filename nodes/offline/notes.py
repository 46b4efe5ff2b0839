"""The offline model's notes about turns that leave the window: each question with the first line of its answer."""

import re
from collections.abc import Iterator, Sequence

from langchain_core.messages import BaseMessage

from nodes.offline.request import spoken
from nodes.window.prompts import OPENING_CHARS, WRITE_NOW
from nodes.window.tokens import content_text

_BEHIND = re.compile(r"T(\d+) “(.*?)”(?=; T\d+ “|\n)", re.DOTALL)
_TRANSCRIPT = re.compile(r"^T(\d+)$", re.MULTILINE)
_SAID = re.compile(
    r"^(user|assistant): (?=\S)(.*?)(?=\n\w+(?: \([^()\n]*\))?: |\n*\Z)", re.DOTALL | re.MULTILINE
)
_LIMIT = re.compile(r"At most (\d+) characters")
_MARKUP = re.compile(r"^[\s\-*#>\d.]*|\*\*")
_QUESTION_CHARS, _ANSWER_CHARS = 60, 120


def asks_for_notes(messages: Sequence[BaseMessage]) -> bool:
    """Tell whether a request is for notes."""
    return WRITE_NOW in content_text(messages[-1].content)


def write_notes(messages: Sequence[BaseMessage]) -> str:
    """Write the notes that a request asks for, the newest turns first if there is no room for all.

    Args:
        messages: the agent's last request with the instruction behind it, or the instruction with a transcript.
    """
    asked = content_text(messages[-1].content)
    limit = _LIMIT.search(asked)
    room = int(limit[1]) if limit else 0
    turns = _BEHIND.findall(asked)
    lines = [
        f"- T{number} {_cut(question, _QUESTION_CHARS)} → {_cut(answer, _ANSWER_CHARS)}"
        for number, question, answer in (_behind(turns, messages[:-1]) if turns else _inside(asked))
        if question.strip() and answer.strip()
    ]
    while lines and sum(map(len, lines)) + len(lines) > room:
        lines.pop(0)
    return "\n".join(["## questions", *lines]) if lines else "none"


def _behind(
    turns: Sequence[tuple[str, str]], messages: Sequence[BaseMessage]
) -> Iterator[tuple[str, str, str]]:
    """Yield number, question and answer of turns that are named by how they begin."""
    said = list(spoken(messages))
    for number, opening in turns:
        begins = (
            n
            for n, (role, text) in enumerate(said)
            if role == "user" and " ".join(text.split())[:OPENING_CHARS] == opening
        )
        place = next(begins, None)
        answered = place is not None and place + 1 < len(said) and said[place + 1][0] == "assistant"
        if place is not None and answered:
            yield number, said[place][1], said[place + 1][1]


def _inside(asked: str) -> Iterator[tuple[str, str, str]]:
    """Yield number, question and answer of the turns of a transcript."""
    _, *parts = _TRANSCRIPT.split(asked)
    for number, text in zip(parts[::2], parts[1::2], strict=True):
        said = dict(reversed(_SAID.findall(text)))  # the first of each
        yield number, said.get("user", ""), said.get("assistant", "")


def _cut(text: str, chars: int) -> str:
    """Return the first line that says something, without Markdown, within a length and without half a number."""
    lines = [_MARKUP.sub("", line).strip() for line in text.splitlines()]
    line = next((one for one in lines if one and not one.endswith((":", "："))), lines[0])
    return line if len(line) <= chars else re.sub(r"[\w.,-]*$", "", line[:chars], flags=re.ASCII) + "…"
