"""Which language a user wishes to be answered in."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import get_args

from nodes.language import Language
from nodes.memory.cues import only
from nodes.memory.named import alternatives
from store.memory import Memory

SLOT = "preference.language"
_REFUSED = re.compile(
    r"别|不|勿|而非|\b(?:not|no|never|stop|instead of|rather than)\b|n['’]t\b", re.IGNORECASE
)
_PART = re.compile(r"[，,；;。.!！]|而不是|\b(?:but|and)\b", re.IGNORECASE)


def wished_language(memories: Sequence[Memory]) -> Language | None:
    """Return the language in which a user wishes to be answered, if it is one that the product itself speaks.

    Args:
        memories: those that hold.
    """
    wish = next((memory for memory in memories if memory.slot == SLOT and memory.status == "active"), None)
    return wanted(wish.value) if wish else None


def wanted(wish: str) -> Language | None:
    """Return which of the product's two languages a wish asks for; one that only refuses the one asks for the other."""
    asked: list[str] = []
    refused: set[str] = set()
    for part in _PART.split(wish):
        for found in language_names().finditer(part):
            code = _codes()[found.group().casefold()]
            if _REFUSED.search(part[: found.start()]):
                refused.add(code)
            else:
                asked.append(code)
    left = [one for one in get_args(Language) if one not in refused and (not asked or one == asked[-1])]
    return left[0] if len(left) == 1 else None


def switches(clause: str) -> bool:
    """Tell whether a clause does no more than ask for a language (「改回中文吧」, "English please")."""
    rest, named = language_names().subn(" ", clause)
    return bool(named) and only("switching", rest)


@cache
def language_names() -> re.Pattern[str]:
    """Return the pattern of the names of languages, in both languages."""
    return re.compile(alternatives(tuple(_codes())), re.IGNORECASE)


@cache
def _codes() -> dict[str, str]:
    rows = (files("nodes.lexicon") / "languages.txt").read_text("utf-8").splitlines()
    return {name: code for code, *names in map(str.split, rows) for name in names}
