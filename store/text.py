"""Clean-up of text that other people wrote, and the measures that do not depend on its script."""

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

CJK_WEIGHT = 2.5
"""A Chinese, Japanese or Korean character says about as much as 2.5 Latin letters: 600 to 1,500."""

_CJK = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)
_NEWLINE = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CJK_PUNCTUATION = re.compile(r"([，：；？！（）～…]+)")
_SENTENCE_END = re.compile(
    r"(?<=[。！？；!?\n])(?![。！？；!?\n”’」』）)])|(?<=[.;])(?=\s)|(?<=[。！？!?][”’」』）)])"
)


_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_WORD = re.compile(r"[A-Za-z]+")


def is_chinese(text: str) -> bool:
    """Tell Chinese from everything else by what there is more of: Han characters or Latin words.

    A word counts as much as one character, so that a Chinese question about an English name stays Chinese.

    Args:
        text: what somebody wrote; without letters it counts as Chinese, the product's first language.
    """
    return len(_HAN.findall(text)) >= len(_WORD.findall(text))


def _deleted(*ranges: tuple[int, int]) -> dict[int, None]:
    return {code: None for first, last in ranges for code in range(first, last + 1)}


_INVISIBLE = _deleted(
    (0x00, 0x08),  # C0 controls but tab and newline; Postgres refuses NUL
    (0x0E, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),  # soft hyphen
    (0x061C, 0x061C),  # bidirectional marks, embeddings, overrides and isolates
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2066, 0x2069),
    (0x180E, 0x180E),
    (0x200B, 0x200B),  # zero-width space
    (0x2060, 0x2064),
    (0xFEFF, 0xFEFF),  # byte-order mark
    (0xFFF9, 0xFFFC),
    (0xFFFE, 0xFFFF),
    (0xD800, 0xDFFF),  # lone surrogates cannot be stored as UTF-8
    (0xE0000, 0xE01EF),  # tags and variation selectors that can carry hidden text
)
_JOINERS = _deleted((0x200C, 0x200D), (0xFE00, 0xFE0F))


def readable(text: str) -> str:
    r"""Return the text with ``\n`` as its only line end and without characters that nobody can see.

    Emoji joiners and variation selectors stay, for they change what is drawn.
    """
    return _NEWLINE.sub("\n", text).translate(_INVISIBLE)


def searchable(text: str) -> str:
    """Return the form in which text is compared: NFKC, nothing invisible, CJK punctuation as it was.

    NFKC (Unicode Annex 15) folds full-width letters, ligatures and composed accents. Case, traditional
    characters and word borders are left to the search.
    """
    parts = _CJK_PUNCTUATION.split(readable(text).translate(_JOINERS))
    return "".join(part if i % 2 else unicodedata.normalize("NFKC", part) for i, part in enumerate(parts))


def width(text: str) -> int:
    """Return the length in Latin letters, a CJK character counting for `CJK_WEIGHT` of them."""
    cjk = sum(len(run) for run in _CJK.findall(text))
    return round(len(text) + (CJK_WEIGHT - 1) * cjk)


def head(text: str, most: int) -> str:
    """Return the text cut after its first ``most`` letters, as `width` counts them."""
    if len(text) * CJK_WEIGHT <= most:
        return text
    text = text[:most]
    sums = list(accumulate(CJK_WEIGHT if _CJK.match(each) else 1.0 for each in text))
    return text[: bisect_right(sums, most)]


def sentences(text: str) -> list[str]:
    """Split text after each sentence and line; the parts joined again are the text."""
    return [part for part in _SENTENCE_END.split(text) if part]
