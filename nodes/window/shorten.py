"""Shortening one text to a size, with a mark that says what is missing and how to read it."""

import json
from functools import lru_cache

from nodes.window.tokens import compact_json, estimate_tokens

SMALLEST = 40
"""Characters that stay of any message: nobody's words are emptied."""
HEAD_SHARE = 2 / 3
"""The head says more than the tail: results come best first, answers conclusion first."""


def shorten(text: str, chars: int, mark: str = "…") -> str:
    """Return a text's head and tail around a mark, at most ``chars`` long in all.

    Args:
        text: any text; returned as it is if it is short enough.
        chars: characters of the result; the mark alone if it leaves no room.
        mark: what stands in the gap.
    """
    if len(text) <= chars:
        return text
    room = max(0, chars - len(mark))
    head = int(room * HEAD_SHARE)
    tail = room - head
    return f"{text[:head]}{mark}{text[len(text) - tail :]}"


def first_lines(text: str, tokens: int) -> str:
    """Return a text's first lines that take at most so many tokens, by the first estimate."""
    kept: list[str] = []
    for line in text.splitlines():
        tokens -= estimate_tokens(line)
        if tokens < 0:
            break
        kept.append(line)
    return "\n".join(kept)


@lru_cache(maxsize=4_096)
def shorten_result(text: str, chars: int, name: str) -> str:
    """Return a tool result's beginning, with its handle for the rest.

    A JSON object that holds one list of records stays JSON and loses whole records, the last first; any other
    text keeps head and tail.

    Args:
        text: the result.
        chars: characters of the result; the mark may exceed a very small number.
        name: the result's handle.
    """
    if len(text) <= chars:
        return text
    return _fewer_records(text, chars, name) or shorten(text, chars, f" …[{_left_out(name, len(text))}]… ")


@lru_cache(maxsize=16_384)
def result_chars(text: str, tokens: int) -> int:
    """Return how many characters of a text take about so many tokens, by the first estimate.

    The first estimate, not the learned one: what is cut must not change while the estimator learns.
    """
    if len(text) < tokens:
        return len(text)
    taken = estimate_tokens(text)
    return len(text) if taken <= tokens else len(text) * tokens // taken


def _left_out(name: str, chars: int) -> str:
    return f"部分省略 part left out of {chars} characters: read_result {name}"


def _fewer_records(text: str, chars: int, name: str) -> str | None:
    try:
        whole = json.loads(text)
    except ValueError:
        return None
    lists = (
        [k for k, v in whole.items() if isinstance(v, list) and len(v) > 1] if isinstance(whole, dict) else []
    )
    if len(lists) != 1:
        return None
    records = whole[lists[0]]
    note = {"left_out": _left_out(name, len(text))}
    room = chars - len(compact_json({**whole, lists[0]: [], **note}))
    kept = 0
    for record in records:
        room -= len(compact_json(record)) + 1
        if room < 0:
            break
        kept += 1
    return compact_json({**whole, lists[0]: records[:kept], **note}) if kept else None
