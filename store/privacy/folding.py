"""Texts as the gate reads them: one width, Chinese numerals as digits, every character traced to its source."""

import re
import unicodedata
from dataclasses import dataclass

_NUMERALS = str.maketrans("零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖贰陆", "00123456789112345678926")
_NUMERAL_RUN = re.compile(
    r"[零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖\d](?:[\s,，.·\-]?[零〇一二三四五六七八九幺壹贰叁肆伍陆柒捌玖\d]){3,}"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in one form.

    Attributes:
        text: compatibility forms folded (NFKC), invisible characters gone, Chinese numerals read as digits
            where at least four stand together.
        places: for each character of ``text`` its place in the original.
    """

    text: str
    places: tuple[int, ...]

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Return where a span of the folded text lies in the original."""
        return self.places[begin], self.places[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold a text, so that width, invisible characters and ways to write digits hide nothing."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if unicodedata.category(character) == "Cf":
            continue
        for folded in unicodedata.normalize("NFKC", character):
            characters.append(folded)
            places.append(place)
    read = _NUMERAL_RUN.sub(lambda run: run.group().translate(_NUMERALS), "".join(characters))
    return Folded(_decimal(read), tuple(places))


def _decimal(text: str) -> str:
    """Read the decimal digits of every script as ASCII ones."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
