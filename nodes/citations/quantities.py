"""What must be repeated exactly: numbers with their units, clock times, weekdays, codes."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from nodes.citations.units import CURRENCIES, MEASURE_WORDS, UNIT, UNITS, unit_of

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
_EVERY = re.compile(
    rf"(?:[每按逐]个?|(?<!within )(?<!for )(?<!in )(?<!after )\b(?:an?|per|each|every)\s(?!second\b))({_TIME})(?![a-z数])"
    r"|(?<!\d)(?<!\d )([年月季周日])(?=[付费租卡度])"
    r"|\b(annual|year|quarter|month|week|dai|hour)ly\b|\b(annual)\b",
    re.IGNORECASE,
)
_BY = re.compile(rf"({_TIME})数")
_DAY_OF_MONTH = re.compile(r"日(?![内后前以之起数])")
_COUNTED = re.compile(rf"\s?(?:[{MEASURE_WORDS}]|times\b)")
_ADVERBS = {"annual": "year", "dai": "day"}
_RANGE = re.compile(r"\s*(?:[-–—~～到至或]|to|and|or)\s*", re.IGNORECASE)
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?:\d+(?:\.\d+){2,}"
    r"|(?=[A-Za-z._/-]*\d)(?=[\d._/-]*[A-Za-z])[A-Za-z0-9]+(?:[._/-][A-Za-z0-9]+)*"
    r"|[A-Za-z0-9]+_\w*|(?=[\w-]{8})[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]+)+)"
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
        ranged: it is one end of a range (3 to 5 days).
        kind: `amount`, or a bare unit of time that says how often (每年, monthly: `every`) or by what
            something is counted (天数: `by`); the value is then one unit.
    """

    value: Fraction
    dimension: str
    text: str
    ranged: bool = False
    kind: Literal["amount", "every", "by"] = "amount"

    @property
    def is_article(self) -> bool:
        """Whether it is a mere "one" of something, which texts leave out as they like."""
        return self.value == 1 and self.kind == "amount" and self.dimension in {"", "count"}

    def same(self, other: "Quantity") -> bool:
        """Tell whether both say the same; a number without a unit goes with any unit, 1 year with annual."""
        dimensions = {self.dimension, other.dimension}
        kinds = {self.kind, other.kind}
        if self.value != other.value or kinds == {"every", "by"}:
            return False
        if len(dimensions) == 1 or (kinds == {"amount"} and "" in dimensions):
            return True
        return "cent" in dimensions and bool(dimensions & CURRENCIES)


def quantities(text: str) -> list[Quantity]:
    """Return the amounts in a text whose numerals are digits (`in_digits`), in order.

    In a range (3 to 5 days) the first number takes the unit of the second.
    """
    found: list[Quantity] = [
        Quantity(Fraction(int(m[1]) % 24 * 60 + int(m[2])), "clock", m[0]) for m in _CLOCK.finditer(text)
    ]
    found += [
        Quantity(Fraction(_WEEKDAYS[(m[1] or m[2]).lower().replace("天", "日")]), "weekday", m[0])
        for m in _WEEKDAY.finditer(text)
    ]
    bare: tuple[tuple[Literal["every", "by"], re.Pattern[str]], ...] = (("every", _EVERY), ("by", _BY))
    for kind, pattern in bare:
        for match in pattern.finditer(text):
            form = next(group for group in match.groups() if group).lower()
            dimension, factor = unit_of(_ADVERBS.get(form, form))
            found.append(Quantity(factor, dimension, match[0], kind=kind))
    hidden = _blank_out(text)
    matches = list(_NUMBER.finditer(hidden))
    joined = [bool(_RANGE.fullmatch(hidden, a.end(), b.start())) for a, b in pairwise(matches)]
    for n, match in enumerate(matches):
        begins, ends = n < len(joined) and joined[n], n > 0 and joined[n - 1]
        dimension, factor = _unit(match, hidden)
        if not dimension and begins:
            dimension, factor = _unit(matches[n + 1], hidden)
        if (value := _value(match["value"])) is not None:
            found.append(Quantity(value * factor, dimension, match[0].strip(), ranged=begins or ends))
    return found


def _value(number: str) -> Fraction | None:
    """Return what a number is worth; nothing where zero stands below the line, or more digits than Python reads."""
    try:
        return Fraction(number.replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def _unit(match: re.Match[str], text: str) -> tuple[str, Fraction]:
    unit = match["unit"] or match["currency"]
    if unit and not (unit == "日" and _DAY_OF_MONTH.match(text, match.start("unit"))):
        return unit_of(unit)
    counted = _COUNTED.match(text, match.end("value"))
    return ("count" if counted and counted[0].strip() != "块" else ""), Fraction(1)  # 块 also says yuan


def without_amounts(text: str, gap: str = " ") -> str:
    """Return a text without its amounts and their units, codes kept.

    Args:
        text: numerals in digits.
        gap: what is put in the place of an amount.
    """
    keep = [match.span() for match in _CODE.finditer(text)]
    found = [match for pattern in (_NUMBER, _CLOCK) for match in pattern.finditer(text)]
    for match in sorted(found, key=lambda match: -match.start()):
        if not any(a <= match.start() < b for a, b in keep):
            text = text[: match.start()] + gap + text[match.end() :]
    return text


def codes(text: str) -> list[str]:
    """Return error codes, model names, identifiers and addresses, which must be repeated letter by letter."""
    return [match[0] for match in _CODE.finditer(text) if not _NO_CODE.fullmatch(match[0])]


def _blank_out(text: str) -> str:
    """Replace codes and clock times, whose digits are no amounts."""
    for part in [*codes(text), *(m[0] for m in _CLOCK.finditer(text))]:
        text = text.replace(part, "#" * len(part))
    return text
