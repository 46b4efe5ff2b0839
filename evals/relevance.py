"""Which chunks answer a labelled question: by article, by section, and by the facts that they must hold."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evals.jsonl import DataError
from nodes.language import language
from store.lexical import normalize

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ANCHOR = re.compile(r"\s*\{#[^}]*\}$")
_GRAM = 8
BUDGETS = {"zh": 3_000, "en": 6_000}
"""Characters of the best chunks in which the facts must stand, by language of the question."""
LABEL = {"path": str, "heading": str, "part?": int, "under?": str}


@dataclass(frozen=True, slots=True)
class Piece:
    """What a ranking returns: a piece of an article, from whatever splitter."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Gold:
    """A section that answers; the text is empty for a whole article."""

    path: str
    text: str
    part: int


def gold(question: Mapping[str, Any], bodies: Mapping[str, str]) -> list[Gold]:
    """Return the sections that answer a question.

    Args:
        question: in the form of the retrieval data.
        bodies: Markdown by path.

    Raises:
        DataError: a path or a heading is not there; the message names the question.
    """
    return [_gold(label, f"question {question['id']!r}", bodies) for label in question.get("gold") or []]


def _gold(label: Mapping[str, Any], asked: str, bodies: Mapping[str, str]) -> Gold:
    path, heading = label["path"], label["heading"]
    if path not in bodies:
        raise DataError(
            f"{asked}: there is no article {path!r} in the corpus. A path is relative to its folder, such as "
            f"{next(iter(bodies), 'refunds.md')!r}."
        )
    text = _section(bodies[path], heading, label.get("under") or "") if heading else ""
    if text is None:
        raise DataError(
            f"{asked}: {path!r} has no section {heading!r}; an empty heading is the whole article."
        )
    return Gold(path, text, label.get("part") or 1)


def is_article(piece: Piece, wanted: Gold) -> bool:
    """Say whether a piece is of the article."""
    return piece.path == wanted.path


def is_section(piece: Piece, wanted: Gold) -> bool:
    """Say whether a piece is of the section: half of the shorter one's runs of 8 letters occur in the other."""
    if not is_article(piece, wanted):
        return False
    if not wanted.text:
        return True
    one, other = _grams(piece.text), _grams(wanted.text)
    return 2 * (one & other).total() >= min(one.total(), other.total()) > 0


def has_facts(pieces: Sequence[Piece], question: Mapping[str, Any]) -> bool:
    """Say whether all that the answer must contain stands in the best pieces, up to the budget."""
    budget = BUDGETS[question.get("lang") or language(question["question"])]
    text = "\n".join(piece.text for piece in pieces)[:budget]
    return contains(text, question["must_contain"])


def contains(text: str, facts: Sequence[str]) -> bool:
    """Say whether every fact stands in a text, spaces and forms of letters aside; ``a|b`` are alternatives."""
    return all(any(_seen(one) in _seen(text) for one in fact.split("|")) for fact in facts)


@lru_cache(maxsize=1_000)
def _seen(text: str) -> str:
    return "".join(normalize(text).split())


def _section(body: str, heading: str, under: str) -> str | None:
    """Return the longest text that stands under a heading, below a parent if one is named, else None."""
    found: list[str] = []
    above: list[tuple[int, str]] = []
    fenced = wanted = False
    for line in body.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        match = None if fenced else _HEADING.match(line)
        if match:
            above = [each for each in above if each[0] < len(match[1])]
            parents = {name for _, name in above}
            above.append((len(match[1]), _name(match[2])))
            wanted = _name(match[2]) == _name(heading) and (not under or _name(under) in parents)
            found += [""] if wanted else []
        elif wanted:
            found[-1] += line + "\n"
    return max(found, key=len, default=None)


def _name(heading: str) -> str:
    return "".join(
        _LINK.sub(r"\1", _ANCHOR.sub("", heading)).replace("`", "").replace("*", "").split()
    ).casefold()


@lru_cache(maxsize=20_000)
def _grams(text: str) -> Counter[str]:
    letters = re.sub(r"[\W_]+", "", text).casefold()
    return (
        Counter(letters[i : i + _GRAM] for i in range(max(1, len(letters) - _GRAM + 1)))
        if letters
        else Counter()
    )
