"""Terms: what the lexical side of the search sees of a text, the same for documents and questions."""

import re
import unicodedata
from functools import lru_cache
from importlib import resources

import rjieba
from opencc import OpenCC

ANALYSIS_VERSION = 2
"""Raised with every change of what `terms` returns: indexed documents are then analysed again."""

_HAN = r"㐀-䶿一-鿿豈-﫿々〇\U00020000-\U0003ffff"
_HAN_GAP = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff\ufe00-\ufe0f]")
_CONTRACTION = re.compile(r"(?<=\w)['’](?:s|t|re|ve|ll|d|m)\b")
_GROUPED_NUMBER = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|(?P<word>[^\W_{_HAN}]+(?:[._/@:+-]+[^\W_{_HAN}]+)*)")
_PART = re.compile(r"[^\W_]+")
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+)")
_CODE = re.compile(r"v?\d+(?:[.:-]\d+)+")

_LONGEST = 128
"""Characters of a term that count: an index refuses longer ones, and nobody types them."""


def fold(text: str) -> str:
    """Fold what looks different and reads the same: the form in which texts and questions are embedded.

    Width and compatibility forms (NFKC), invisible characters, traditional characters (to simplified) and the
    spaces between two Chinese characters disappear.
    """
    text = _HAN_GAP.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    return text if text.isascii() else str(_simplifier().convert(text))


def normalize(text: str) -> str:
    """Fold what means the same to a word search: case and English contractions too, and ``1,299`` to ``1299``."""
    text = _CONTRACTION.sub("", fold(text).casefold())
    return _GROUPED_NUMBER.sub(lambda match: match.group().replace(",", ""), text)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, function words left out.

    Chinese is cut into words, long words also into the words within (jieba's search mode), and single
    characters are terms beside the words, so that words that share some still meet. Anything else is cut at
    white space and punctuation; a code, a version number or a name with inner punctuation (``v1.2.3``,
    ``root_url``) is a term as a whole, and so are its parts that are words. A number and its unit are two
    terms (``30天``, ``5GB``), with or without a space between them; ``E1043`` is one. English words are stemmed.
    """
    found: list[str] = []
    for match in _RUN.finditer(normalize(text)):
        if match.lastgroup == "han":
            found.extend(word for word in rjieba.cut_for_search(match.group()) if len(word) > 1)
            found.extend(match.group())
        else:
            found.extend(_word_terms(match.group()))
    return [stem(term[:_LONGEST]) for term in found if term not in _stop_words()]


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, each once and as they stand, function words left out.

    Unlike `terms` they overlap with nothing and keep their endings: for a model that knows what words mean.
    """
    found: dict[str, None] = {}
    for match in _RUN.finditer(normalize(text)):
        cut = rjieba.cut(match.group()) if match.lastgroup == "han" else _PART.findall(match.group())
        found |= dict.fromkeys(word[:_LONGEST] for word in cut if word not in _stop_words())
    return tuple(found)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Cut the endings of plural, past and progressive off an English word; others stay as they are.

    A light form of the S-stemmer (Harman, 1991) with -ed and -ing.
    """
    if not word.isascii() or not word.isalpha() or len(word) <= 3:  # noqa: PLR2004 - shorter has no ending
        return word
    word = re.sub(r"(?<=[^aeiou])ies$", "y", word)
    word = re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|(?<![sui])s$", "", word)
    word = re.sub(r"(?<=[a-z]{3})(?:ing|ed)$", "", word)
    word = re.sub(r"([bdfgmnprt])\1$", r"\1", word)
    return word.removesuffix("e")


def _word_terms(word: str) -> list[str]:
    if measure := _MEASURE.fullmatch(word):
        return list(measure.groups())
    parts = _PART.findall(word)
    if len(parts) == 1 or _CODE.fullmatch(word):
        return [word]
    return [word, *parts]


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return frozenset((resources.files("store") / "calibration" / "stop_words.txt").read_text("utf-8").split())


@lru_cache(maxsize=1)
def _simplifier() -> OpenCC:
    return OpenCC("t2s")
