"""Words as the check compares them: with their neighbours, or as a set in which spellings meet."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import rjieba

from nodes.citations.quantities import codes, quantities, without_amounts
from nodes.lexicon import lexicon
from nodes.words import words
from store.lexical import stem

_STOP = (lexicon("stop") - {"once"}) | lexicon("relating")
_PREPOSITIONS = frozenset(["for", "in", "on", "with", "at", "by", "from", "under"])
_DETERMINERS = frozenset(["the", "a", "an", "any", "all", "each", "every", "your", "our", "its"])
_PUNCTUATION = re.compile(r"[^\w\s'’.@#+/-]+|\.(?=\s|\Z)")
_NEAR = 2
"""Words within this distance are neighbours: one function word may stand between."""


@dataclass(frozen=True, slots=True)
class Word:
    """A content word in its clause.

    Attributes:
        text: the word, an English one as its stem.
        before: the content word in front of it, or empty.
        after: the content word behind it, or empty.
        preposition: an English preposition in front of it, or empty.
        first: nothing but function words stands in front.
    """

    text: str
    before: str
    after: str
    preposition: str
    first: bool


@lru_cache(maxsize=4096)
def sequence(text: str) -> tuple[Word, ...]:
    """Return the content words of a clause in order, amounts left out.

    Args:
        text: a clause, numerals in digits.
    """
    found: list[Word] = []
    for phrase in _PUNCTUATION.split(without_amounts(text, " | ")):
        raw = words(phrase)
        at = [i for i, word in enumerate(raw) if word not in _STOP and not word.isdigit()]
        for n, i in enumerate(at):
            before = stem(raw[at[n - 1]]) if n and i - at[n - 1] <= _NEAR else ""
            after = stem(raw[at[n + 1]]) if n + 1 < len(at) and at[n + 1] - i <= _NEAR else ""
            found.append(Word(stem(raw[i]), before, after, _preposition(raw[:i]), first=not found))
    return tuple(found)


def _preposition(before: list[str]) -> str:
    last = next((word for word in reversed(before) if word not in _DETERMINERS), "")
    return last if last in _PREPOSITIONS else ""


@lru_cache(maxsize=4096)
def terms(text: str) -> frozenset[str]:
    """Return what texts are compared by: stems, pairs of Chinese characters, codes, frequencies (每年).

    Pairs are taken across words, so that texts meet whatever the segmentation made of them, but not
    across function words.
    """
    found = {code.lower() for code in codes(text)}
    found.update(f"every {q.value} {q.dimension}" for q in quantities(text) if q.kind == "every")
    for phrase in _PUNCTUATION.split(without_amounts(text, " | ")):
        for is_word, run in groupby(words(phrase), lambda word: word not in _STOP and not word.isdigit()):
            if is_word:
                found |= _run_terms(list(run))
    return frozenset(found)


def _run_terms(run: list[str]) -> set[str]:
    found = {stem(word) for word in run if word.isascii()}
    for han, part in groupby(run, lambda word: not word.isascii()):
        chars = "".join(part) if han else ""
        found.update({chars} if len(chars) == 1 else {chars[i : i + 2] for i in range(len(chars) - 1)})
    return found


@lru_cache(maxsize=4096)
def is_noun(word: str) -> bool:
    """Tell whether a Chinese word is a noun or a word that qualifies one, by jieba's tags."""
    return all(tag[:1] in "nbzj" or tag == "vn" for _, tag in rjieba.tag(word))
