"""Write the numbers of a text in digits, so that 三天, 3 天 and three days read alike."""

import re
import unicodedata
from collections.abc import Callable

from nodes.citations.units import MEASURE_WORDS, UNIT
from nodes.number_words import ENGLISH, HAN_NUMERAL, ONES, PLACES, TEENS, TENS, han_value

_SCALES = PLACES | {"万": 10_000, "亿": 100_000_000, "hundred": 100, "thousand": 1000, "million": 1_000_000}
_NOON = 12
_AFTERNOON = ("中午", "下午", "晚上", "p")


def _number(text: str) -> float:
    return float(text.replace(",", "")) if text[0].isdigit() else han_value(text)


def _share(match: re.Match[str]) -> str:
    return f"{_number(match['over']) * 100 / (_SCALES[match['base']]):g}%"


def _english(match: re.Match[str]) -> str:
    return str(sum(ENGLISH[word] for word in re.split(r"[-\s]", match[0].lower())))


def _scaled(match: re.Match[str]) -> str:
    return f"{_number(match[1]) * _SCALES[match[2].lower()]:.12g}"


def _clock(match: re.Match[str]) -> str:
    part = match.groupdict("")
    hour = int(_number(part["hour"]))
    minute = 30 if part.get("half") else int(part.get("minute") or 0)
    if part.get("period", "").lower().startswith(_AFTERNOON) and hour < _NOON:
        hour += _NOON
    return f"{hour:02d}:{minute:02d}"


_PERIOD_ZH = r"(?P<period>凌晨|早上|上午|中午|下午|晚上)\s?"
_PERIOD_EN = r"\s?(?P<period>[ap]\.?m\b\.?)"
_RULES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"(?P<base>[百千万])分之(?P<over>{HAN_NUMERAL}|\d+(?:\.\d+)?)", _share),
    (r"([二三四五六七八九十])分之([一二三四五六七八九])", lambda m: f"{han_value(m[2])}/{han_value(m[1])}"),
    (r"\b(?:one[-\s]third\b|a\sthird(?=\sof\b))", "1/3"),
    (r"\btwo[-\s]thirds\b", "2/3"),
    (rf"半个?(?=\s?(?:{UNIT}))|\bhalf\san?\s(?=(?:{UNIT}))", "0.5 "),
    (r"一半|半价|对折|\bhalf\b(?!-)", "50%"),
    (r"\btwice\b", "2 times"),
    (r"\bnoon\b", "12:00"),
    (r"\bmidnight\b", "24:00"),
    (rf"{_PERIOD_ZH}(?P<hour>\d\d?|{HAN_NUMERAL})(?::(?P<minute>\d\d)|点(?P<half>半)?)", _clock),
    (rf"(?P<hour>\d\d?|{HAN_NUMERAL})点(?:(?P<half>半)|钟|整|(?=[前后之以起到至]))", _clock),
    (rf"(?<![\d.:])(?P<hour>\d\d?)(?::(?P<minute>\d\d))?{_PERIOD_EN}", _clock),
    (rf"(?<!第){HAN_NUMERAL}(?=[万亿]?\s?(?:{UNIT}|[{MEASURE_WORDS}]))", lambda m: str(han_value(m[0]))),
    (rf"\bone(?=[-\s](?:{UNIT}))", "1"),
    (
        rf"\b(?:{'|'.join(TENS)})(?:[-\s](?:{'|'.join(ONES)}))?\b|\b(?:{'|'.join((*TEENS, *ONES[1:]))})\b",
        _english,
    ),
    (r"\b(\d+) and a 50%", r"\1.5"),
    (r"(?<![\d.])(\d+(?:,\d{3})*(?:\.\d+)?)\s?([万亿千百]|(?:hundred|thousand|million)\b)", _scaled),
)
_COMPILED = [(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in _RULES]


def in_digits(text: str) -> str:
    """Return the text with compatibility forms unified and its numerals and clock times in digits.

    "One" stays a word unless a unit follows; it is an article more often than a number. The same holds
    for a Chinese numeral without a unit or classifier behind it, and for ordinals (第二).

    Args:
        text: for example `每半年两次，下午五点前` → `每0.5 年2次，17:00前`.
    """
    text = unicodedata.normalize("NFKC", text.replace("，", ", "))
    for pattern, replacement in _COMPILED:
        text = pattern.sub(replacement, text)
    return text
