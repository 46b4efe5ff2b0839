"""Which kinds of words occur in a text: word lists as data (`nodes/lexicon/cues.txt`), and one matcher for all of them.

A line of the file is ``cue: word | word``; ``cue but: words`` are longer words in which one of the cue's does not count (未来
is no 未). Where several fit at a place, the longest decides. Chinese words occur anywhere, those of letters as
whole words. ``*`` stands for any letters, ``…`` for up to twelve characters of one clause, ``#`` for a digit, ``^`` and ``$``
for the ends of the text.
"""

import re
from functools import cache
from importlib.resources import files

from nodes.window.tokens import HAN

_WORD = re.compile(r"\w")
_SIGNS = {"*": r"\w*", "…": r"[^，。,.!?！？]{0,12}?", "#": r"\d", "^": r"^\W*", "$": r"\W*$", "'": "['’]"}


def says(cue: str, text: str) -> bool:
    """Tell whether a word of a cue occurs in a text."""
    pattern, counts = _pattern(cue)
    return any(counts[int(found.lastindex or 0) - 1] for found in pattern.finditer(text))


def only(cue: str, text: str, *beside: str) -> bool:
    """Tell whether a text consists of words of a cue, with none between them but those of the cues ``beside``."""
    rest = without(cue, text)
    for other in beside:
        rest = without(other, rest)
    return says(cue, text) and not _WORD.search(rest)


def without(cue: str, text: str) -> str:
    """Return a text with a blank in the place of each word of a cue."""
    pattern, counts = _pattern(cue)
    return pattern.sub(lambda found: " " if counts[int(found.lastindex or 0) - 1] else found.group(), text)


@cache
def _pattern(cue: str) -> tuple[re.Pattern[str], tuple[bool, ...]]:
    """Return the pattern of a cue, a group a word, and of each whether it counts."""
    words = dict.fromkeys(_cues()[cue], True) | dict.fromkeys(_cues().get(f"{cue} but", ()), False)
    longest = sorted(words, key=len, reverse=True)
    pattern = re.compile("|".join(f"({_regex(word)})" for word in longest), re.IGNORECASE)
    return pattern, tuple(words[word] for word in longest)


def _regex(word: str) -> str:
    inner = "".join(_SIGNS.get(sign) or re.escape(sign) for sign in word)
    letters = word.strip("^$…")
    before = "" if HAN.match(letters) or not letters[0].isalpha() else r"\b"
    behind = "" if HAN.match(letters[-1]) or not letters[-1].isalpha() else r"\b"
    return f"{before}{inner}{behind}"


@cache
def _cues() -> dict[str, tuple[str, ...]]:
    lines = (files("nodes.lexicon") / "cues.txt").read_text("utf-8").splitlines()
    rows = (line.partition(":") for line in lines if line.strip())
    found: dict[str, tuple[str, ...]] = {}
    for cue, _, words in rows:
        found[cue] = (*found.get(cue, ()), *(word.strip() for word in words.split("|")))
    return found
