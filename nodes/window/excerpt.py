"""Excerpts of turns and pages of results: what replay hands back, word for word, within a size."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.window.log import Log, handle
from nodes.window.redact import redact
from nodes.window.shorten import shorten
from nodes.window.tokens import content_text, estimate_tokens, message_text

EXCERPT_CHARS = 1_500
CUT = "…[略 cut]…"
LINE_CHARS = 200
"""A longer line is paged as several: a JSON result is often a single one."""
PAGE_TOKENS = 1_000
_HANDLE = re.compile(r"^\W*r?(\d+)\W*$", re.IGNORECASE)


def excerpt(log: Log, turn: int, position: int, needles: Sequence[str]) -> str:
    """Return a turn within 1,500 characters: whole if it fits, else what was said and the place that matched.

    Args:
        log: the whole thread.
        turn: the turn's number.
        position: the message that matched best.
        needles: what was searched for, the most telling first.
    """
    begin = log.start(turn)
    shown = list(enumerate(log.messages[begin : log.start(turn + 1)], start=begin))
    whole = "\n".join([f"T{turn}", *(_line(p, message_text(m), m) for p, m in shown)])
    if len(whole) <= EXCERPT_CHARS:
        return whole
    spoken = [
        (p, m)
        for p, m in shown
        if p != position and not isinstance(m, ToolMessage) and content_text(m.content)
    ]
    share = EXCERPT_CHARS // 2 // max(1, len(spoken))
    lines = {p: _line(p, shorten(content_text(m.content), share, CUT), m) for p, m in spoken}
    room = EXCERPT_CHARS - sum(len(line) + 1 for line in lines.values()) - 60
    matched = log.messages[position]
    lines[position] = _line(position, around(message_text(matched), needles, room), matched)
    return "\n".join([f"T{turn}", *(lines[p] for p in sorted(lines))])[:EXCERPT_CHARS]


def around(text: str, needles: Sequence[str], chars: int) -> str:
    """Return so many characters of a text around the first needle that occurs in it, cut with a mark."""
    if len(text) <= chars:
        return text
    low = text.lower()
    at = next((low.find(needle) for needle in needles if needle in low), 0)
    room = max(0, chars - 2 * len(CUT))
    start = max(0, min(at - room // 3, len(text) - room))
    end = start + room
    return f"{CUT * (start > 0)}{text[start:end]}{CUT * (end < len(text))}"


def read_result(
    name: str,
    messages: Sequence[BaseMessage],
    start: int = 1,
    lines: int = 40,
    *,
    hidden: Sequence[str] = (),
) -> str:
    """Return a page of a tool result that is cleared or too large to be shown whole.

    Args:
        name: the result's handle, such as ``r12``.
        messages: the whole thread.
        start: the first line, from 1; long lines count as several.
        lines: lines of the page at most; the page also ends at about 1,000 tokens.
        hidden: words that a user asked to be forgotten, `WindowPlan.hidden`.

    Returns:
        the page with its place; if there is no such result, how to name one.
    """
    found = _HANDLE.match(name)
    position = int(found[1]) if found else len(messages)
    if position >= len(messages) or not isinstance(messages[position], ToolMessage):
        known = [handle(p) for p, m in enumerate(messages) if isinstance(m, ToolMessage)]
        return f"没有 no result {name!r}. 句柄形如 handles look like: {', '.join(known[-5:]) or 'r12'}"
    text = redact(content_text(messages[position].content), hidden)
    rows = [row for line in text.splitlines() for row in wrap_line(line)] or [""]
    begin = max(0, min(start, len(rows)) - 1)
    page = _page(rows[begin : begin + max(1, lines)])
    end = begin + len(page)
    more = f"; continue with start={end + 1}" if end < len(rows) else ""
    return "\n".join([f"{handle(position)} lines {begin + 1}–{end} of {len(rows)}{more}", *page])


def wrap_line(line: str) -> list[str]:
    """Return a line in pieces of at most 200 characters that join to the same line."""
    return [line[i : i + LINE_CHARS] for i in range(0, len(line), LINE_CHARS)] or [""]


def _page(rows: Sequence[str]) -> list[str]:
    page: list[str] = []
    taken = 0
    for row in rows:
        taken += estimate_tokens(row)
        if page and taken > PAGE_TOKENS:
            break
        page.append(row)
    return page


def _line(position: int, text: str, message: BaseMessage) -> str:
    if isinstance(message, ToolMessage):
        return f"{handle(position)} ({message.name or 'tool'}): {text}"
    return f"{'assistant' if isinstance(message, AIMessage) else 'user'}: {text}"
