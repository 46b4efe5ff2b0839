"""The content words of a text in Chinese or English: what it is about, without the words that only ask."""

import re
from functools import lru_cache

import rjieba

from nodes.lexicon import lexicon
from nodes.window.tokens import HAN
from store.lexical import normalize, stem

_PIECE = re.compile(rf"(?:{HAN.pattern})+|[a-z0-9]+(?:['’._+#@/-][a-z0-9]+)*")

_RUN = re.compile(rf"(?:{HAN.pattern}){{2,}}")
_STOP = lexicon("stop")


def words(text: str) -> list[str]:
    """Split a text into words, normalized, Chinese segmented, codes such as ``E1043`` whole.

    Args:
        text: any text.
    """
    return _cut(normalize(text))


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry a topic, English ones by their stem, in order, repeats kept."""
    return _content(normalize(text))


@lru_cache(maxsize=4096)
def features(text: str) -> frozenset[str]:
    """Return what a text is compared by: its content words, Chinese ones as pairs of characters.

    Pairs are also taken across words, where no character is a function word, so that 月付 is met
    whatever the segmentation made of it. A single character says too little to be compared by.
    """
    found, normal = set[str](), normalize(text)
    for word in _content(normal):
        found.update(_pairs(word) if HAN.match(word) else (word,))
    for run in _RUN.findall(normal):
        found.update(pair for pair in _pairs(run) if not _STOP & {*pair})
    return frozenset(found)


@lru_cache(maxsize=4096)
def atoms(text: str) -> frozenset[str]:
    """Return the smallest parts of a text's content words: Chinese characters, and other words whole."""
    return frozenset(a for word in content_words(text) for a in (word if HAN.match(word) else (word,)))


def _content(normal: str) -> list[str]:
    return [stem(word) for word in _cut(normal) if word not in _STOP]


def _cut(normal: str) -> list[str]:
    found: list[str] = []
    for piece in _PIECE.findall(normal):
        found += rjieba.cut(piece) if HAN.match(piece) else [piece.replace("’", "'")]
    return found


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]
