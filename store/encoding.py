"""Bytes of a text file decoded, or refused: never guessed into wrong characters."""

import codecs
import unicodedata
from dataclasses import dataclass

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _rows(first: int, last: int) -> frozenset[str]:
    cells = (bytes((row, cell)) for row in range(first, last + 1) for cell in range(0xA1, 0xFF))
    return frozenset(b"".join(cells).decode("gb2312", "ignore"))


_COMMON = _rows(0xA3, 0xA3) | _rows(0xB0, 0xD7)
"""Full-width letters and the 3,755 characters that GB 2312 calls level 1, in the order of their sound."""
_COMMON_SHARE = 0.8
"""Chinese text has nine in ten of its characters among them."""
_BEYOND_KOREAN = _rows(0xC9, 0xD7)
"""Those from N to Z, four in ten; EUC-KR's syllables lie where the others are."""
_ENOUGH = 12
"""Letters among which Chinese has one from N to Z, but for one text in 500."""
_CONTROL_SHARE = 0.1
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, or None and the problem; a text with a problem can be used."""

    text: str | None
    problem: str = ""


def decode(data: bytes) -> Decoded:
    """Decode UTF-8, UTF-16 and UTF-32 with a mark, UTF-16 without one, and GB18030 (GBK, GB 2312).

    UTF-8 with a few broken bytes loses them, with a warning. Other encodings are refused with the likely
    name: what is guessed wrong would be found and quoted as nonsense.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _checked(data.decode(name, "ignore"))
    if name := _unmarked_utf16(data, 1 / 3):
        return _checked(data.decode(name, "ignore"))
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _not_utf8(data)


def _not_utf8(data: bytes) -> Decoded:
    if name := _unmarked_utf16(data, 1 / 20):
        return _checked(data.decode(name, "ignore"))
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if len(_letters(text)) > 10 * broken:
        problem = f"{broken} places are not UTF-8 and were left out: save the file as UTF-8"
        return Decoded(text.replace("\ufffd", ""), problem)
    if (chinese := _gb18030(data)) is not None:
        return _checked(chinese)
    likely = from_bytes(data[:_SAMPLE]).best()
    hint = f" (it looks like {likely.encoding})" if likely else ""
    return Decoded(None, f"it is not text in UTF-8, UTF-16 or GB18030{hint}: save it as UTF-8")


def _unmarked_utf16(data: bytes, share: float) -> str:
    """Tell UTF-16 by the zero byte of each Latin letter, space and line end, always on the same side."""
    zeros = [data[side::2].count(0) for side in (0, 1)]
    if not any(zeros) or max(zeros) < share * len(data) / 2 or min(zeros) > max(zeros) / 10:
        return ""
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _letters(text: str) -> list[str]:
    """Return the letters that are not ASCII, and what stands in the places kept for private use."""
    return [char for char in text if char > "\x7f" and (char.isalpha() or unicodedata.category(char) == "Co")]


def _gb18030(data: bytes) -> str | None:
    """Decode GB18030 if its characters are common ones: it takes most bytes of other codes as rare ones."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    letters = _letters(text)
    if sum(char in _COMMON for char in letters) < _COMMON_SHARE * len(letters):
        return None
    return text if len(letters) < _ENOUGH or not _BEYOND_KOREAN.isdisjoint(letters) else None


def _checked(text: str) -> Decoded:
    control = sum(char < " " and char not in "\t\n\r\f\v\x00" for char in text)
    if control > _CONTROL_SHARE * len(text):
        return Decoded(None, "it is not text: give it another suffix or remove it")
    return Decoded(text)
