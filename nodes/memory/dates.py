"""When something happened: the date that a message names, against the time at which it was said."""

import re
from datetime import date, datetime, timedelta

from nodes.number_words import ENGLISH, HAN_NUMERAL, han_value

_COUNTS = ENGLISH | {"a": 1}
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_FULL = re.compile(r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_ZH_DAY = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})[日号]?")
_EN_DAY = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\.? (\d{{1,2}})(?:st|nd|rd|th)?\b", re.IGNORECASE)
_AGO = re.compile(
    rf"(?<!\d)(\d{{1,4}}|{HAN_NUMERAL})\s*(天|周|个?星期|个月)(?:之?前|以前)|\b(\d{{1,4}}|{'|'.join(_COUNTS)}) (day|week|month)s? ago\b",
    re.IGNORECASE,
)
_LAST_WEEKDAY = re.compile(
    rf"上(?:个?星期|周)([一二三四五六日天])|\blast ({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)
_NEAR = (
    (re.compile(r"大前天"), 3),
    (re.compile(r"前天|\bday before yesterday\b", re.IGNORECASE), 2),
    (re.compile(r"昨[天日晚]|\byesterday\b", re.IGNORECASE), 1),
    (re.compile(r"今[天日早晚]|\btoday\b", re.IGNORECASE), 0),
)


def event_time(text: str, said_at: datetime) -> str:
    """Return when a message says that something happened, as an ISO date, month or year; empty if it does not.

    Args:
        text: what the user wrote.
        said_at: when, with the user's zone: yesterday is yesterday where the user is.
    """
    today = said_at.date()
    if full := _FULL.search(text):
        return _iso(int(full[1]), int(full[2]), int(full[3]))
    if day := _ZH_DAY.search(text):
        return _latest(int(day[1]), int(day[2]), today)
    if day := _EN_DAY.search(text):
        return _latest(_MONTHS.index(day[1].lower()) + 1, int(day[2]), today)
    return _relative(text, today)


def _relative(text: str, today: date) -> str:
    if weekday := _LAST_WEEKDAY.search(text):
        place = (
            "一二三四五六日".find(weekday[1].replace("天", "日"))
            if weekday[1]
            else _WEEKDAYS.index(weekday[2].lower())
        )
        return (today - timedelta(days=today.weekday() + 7 - place)).isoformat()
    if ago := _AGO.search(text):
        return _ago(ago, today)
    for pattern, days in _NEAR:
        if pattern.search(text):
            return (today - timedelta(days=days)).isoformat()
    if re.search(r"上个?月|\blast month\b", text, re.IGNORECASE):
        return (today.replace(day=1) - timedelta(days=1)).isoformat()[:7]
    if re.search(r"去年|\blast year\b", text, re.IGNORECASE):
        return str(today.year - 1)
    return ""


def _ago(ago: re.Match[str], today: date) -> str:
    number, unit = ago[1] or ago[3].lower(), ago[2] or ago[4].lower()
    count = int(number) if number.isdigit() else _COUNTS.get(number) or han_value(number)
    if not count or count > 3650:  # noqa: PLR2004 - ten years
        return ""
    if "月" in unit or unit == "month":
        month = today.year * 12 + today.month - 1 - count
        return f"{month // 12:04d}-{month % 12 + 1:02d}"
    days = count * (7 if unit in {"周", "星期", "个星期", "week"} else 1)
    return (today - timedelta(days=days)).isoformat()


def _latest(month: int, day: int, today: date) -> str:
    """Return the last such day that is not in the future."""
    this = _iso(today.year, month, day)
    return this if this <= today.isoformat() else _iso(today.year - 1, month, day)


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:  # a 31st of a shorter month
        return ""
