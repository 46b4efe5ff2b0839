"""Bytes of a text file decoded, or refused: never guessed into wrong characters."""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_COMMON_SHARE = 0.8
"""Chinese text has nine in ten of its characters among the 3,755 that GB 2312 calls level 1."""
_ROWS = (0xA1, 0xA3, *range(0xB0, 0xD8))
_COMMON = frozenset(
    b"".join(bytes((row, cell)) for row in _ROWS for cell in range(0xA1, 0xFF)).decode("gb2312", "ignore")
)
"""GB 2312's punctuation, full-width letters and level 1."""
_CONTROL_SHARE = 0.1
_SAMPLE = 20_000
_KOREAN = frozenset({"cp949", "euc_kr", "johab"})
"""EUC-KR's syllables lie where GB 2312 has its common characters."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, or None and the problem; a text with a problem can be used."""

    text: str | None
    problem: str = ""


def decode(data: bytes) -> Decoded:
    """Decode UTF-8, UTF-16 and UTF-32 with a mark, UTF-16 without one, and GB18030 (GBK, GB2312).

    UTF-8 with a few broken bytes loses them, with a warning. Other encodings are refused with the likely name:
    what is guessed wrong would be found and quoted as nonsense.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _checked(data.decode(name, "ignore"))
    try:
        return _checked(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _not_utf8(data)


def _not_utf8(data: bytes) -> Decoded:
    if name := _unmarked_utf16(data):
        return _checked(data.decode(name, "ignore"))
    text = data.decode("utf-8", "ignore")
    broken = len(data) - len(text.encode())
    if sum(map(str.isalpha, re.sub(r"[\x00-\x7f]+", "", text))) > 10 * broken:
        return Decoded(text, f"{broken} bytes are not UTF-8 and were left out: save the file as UTF-8")
    likely = from_bytes(data[:_SAMPLE]).best()
    name = likely.encoding if likely else ""
    if name not in _KOREAN and (chinese := _gb18030(data)) is not None:
        return _checked(chinese)
    hint = f" (it looks like {name})" if name else ""
    return Decoded(None, f"it is not text in UTF-8, UTF-16 or GB18030{hint}: save it as UTF-8")


def _unmarked_utf16(data: bytes) -> str:
    """Latin letters, spaces and line ends of UTF-16 have a zero byte each, always on the same side."""
    zeros = [data[side::2].count(0) for side in (0, 1)]
    if max(zeros) < len(data) / 20 or min(zeros) > max(zeros) / 10:
        return ""
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _gb18030(data: bytes) -> str | None:
    """Decode GB18030 if its characters are common ones, for the code takes most other bytes as rare ones."""
    try:
        text = data.decode("gb18030")
    except UnicodeDecodeError:
        return None
    foreign = [char for char in text if char > "\x7f"]
    return text if sum(char in _COMMON for char in foreign) >= _COMMON_SHARE * len(foreign) else None


def _checked(text: str) -> Decoded:
    control = sum(char < " " and char not in "\t\n\r\f\v\x00" for char in text)
    if control > _CONTROL_SHARE * len(text):
        return Decoded(None, "it is not text: give it another suffix or remove it")
    return Decoded(text)
