"""What must be repeated exactly: numbers with their units, clock times, weekdays, codes."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from nodes.citations.units import CURRENCIES, UNIT, UNITS, unit_of

_NUMBER = re.compile(
    rf"(?P<currency>[$€£¥])?\s?(?<![\w.])(?P<value>\d+/\d+|\d+(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:st|nd|rd|th)?"
    rf"(?![\d:/]|\.\d)(?:[\s-]?(?P<unit>{UNIT}))?",
    re.IGNORECASE | re.ASCII,
)
_CLOCK = re.compile(r"(?<![\d:.])(\d\d?):(\d\d)(?![\d:])")
_WEEKDAY = re.compile(
    r"(?:周|星期|礼拜)([一二三四五六日天])|\b(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?s?\b",
    re.IGNORECASE,
)
_WEEKDAYS = {
    day: n
    for n, pair in enumerate(["一mon", "二tue", "三wed", "四thu", "五fri", "六sat", "日sun"])
    for day in (pair[0], pair[1:])
}
_TIME = "|".join(
    sorted(
        (unit for unit, (dimension, _) in UNITS.items() if dimension in {"minute", "month"}),
        key=len,
        reverse=True,
    )
)
_RATE = re.compile(
    rf"(?:[每按逐]个?|\b(?:an?|per|each|every)\s(?!second\b))({_TIME})(?![a-z])|({_TIME})数"
    r"|(?<!\d)(?<!\d )([年月季周日])(?=[付费租卡度])"
    r"|\b(?:(annual|year|quarter|month|week|dai|hour)(?:ly)?)\b(?<!year)(?<!quarter)(?<!month)(?<!week)(?<!hour)",
    re.IGNORECASE,
)
_ADVERBS = {"annual": "year", "dai": "day"}
_RANGE = re.compile(r"\s*(?:[-–—~～到至或]|to|and|or)\s*", re.IGNORECASE)
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:\d+(?:\.\d+){2,}"
    r"|(?=[A-Za-z._/-]*\d)(?=[\d._/-]*[A-Za-z])[A-Za-z0-9]+(?:[._/-][A-Za-z0-9]+)*"
    r"|[A-Za-z0-9]+_\w*|[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]+)+)"
)
_NO_CODE = re.compile(rf"\d+(?:\.\d+)?(?:st|nd|rd|th|-[a-z]+|[-.]?(?:{UNIT}))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text gives it.

    Attributes:
        value: in the base unit of its dimension.
        dimension: as in `units`, or `clock` (minutes after midnight), `weekday` (Monday is 0), or empty for
            what is merely counted.
        text: as written.
    """

    value: Fraction
    dimension: str
    text: str

    def same(self, other: "Quantity") -> bool:
        """Tell whether both say the same amount; a number without a unit goes with any unit."""
        dimensions = {self.dimension, other.dimension}
        if len(dimensions) == 1 or "" in dimensions:
            return self.value == other.value
        return self.value == other.value and "cent" in dimensions and bool(dimensions & CURRENCIES)


def quantities(text: str) -> list[Quantity]:
    """Return the amounts in a text whose numerals are digits (`in_digits`), in order.

    In a range (3 to 5 days) the first number takes the unit of the second.
    """
    found = [
        Quantity(Fraction(int(m[1]) % 24 * 60 + int(m[2])), "clock", m[0]) for m in _CLOCK.finditer(text)
    ]
    found += [
        Quantity(Fraction(_WEEKDAYS[(m[1] or m[2]).lower().replace("天", "日")]), "weekday", m[0])
        for m in _WEEKDAY.finditer(text)
    ]
    for match in _RATE.finditer(text):
        form = next(group for group in match.groups() if group).lower()
        dimension, factor = unit_of(_ADVERBS.get(form, form))
        found.append(Quantity(factor, dimension, match[0]))
    hidden = _blank_out(text)
    matches = list(_NUMBER.finditer(hidden))
    for match, after in zip_longest(matches, matches[1:]):
        unit = match["unit"] or match["currency"]
        if not unit and after and _RANGE.fullmatch(hidden, match.end(), after.start()):
            unit = after["unit"] or after["currency"]
        dimension, factor = unit_of(unit) if unit else ("", Fraction(1))
        value = Fraction(match["value"].replace(",", "")) * factor
        found.append(Quantity(value, dimension, match[0].strip()))
    return found


def codes(text: str) -> list[str]:
    """Return error codes, model names, identifiers and addresses, which must be repeated letter by letter."""
    return [match[0] for match in _CODE.finditer(text) if not _NO_CODE.fullmatch(match[0])]


def _blank_out(text: str) -> str:
    """Replace codes and clock times, whose digits are no amounts."""
    for part in [*codes(text), *(m[0] for m in _CLOCK.finditer(text))]:
        text = text.replace(part, "#" * len(part))
    return text
