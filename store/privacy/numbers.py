"""Numbers of people: identity cards, bank cards and phones, by their check digits and numbering plans."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import phonenumbers
from stdnum import luhn
from stdnum.cn import ric
from stdnum.exceptions import ValidationError
from stdnum.us import ssn

Span = tuple[int, int, str]
"""Begin, end (of the folded text) and what it is."""

_GAP = r"[\s._,，、/·*|~–—\-()]{0,3}"
_RUN = re.compile(rf"(?<![A-Za-z\d])\d(?:{_GAP}\d){{6,39}}(?:{_GAP}[Xx](?![A-Za-z\d]))?")
_GROUP = re.compile(r"\d+[Xx]?|[Xx]")
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNIT = re.compile(r"\s*(?:元|块|万|亿|条|笔|次|份|人|张)")
_BUSINESS = re.compile(
    r"(?:[订单定]单|单号|流水号|票据?号|票代码|编号|快递|运单|合同|工单|发票|时间戳|金额|合计"
    r"|\border|\binvoice|\bticket|\btracking|\bcontract|\brequest id|\bunix time|\btimestamp|\btotal)[^\n，。；,;]{0,12}$",
    re.IGNORECASE,
)
_LABELS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (
        kind,
        re.compile(rf"(?:{label})\W*(?:(?:号码?|number|no|码|是|为|is)\W*){{0,3}}$", re.IGNORECASE),
        re.compile(form),
    )
    for kind, label, form in (
        ("id", r"身份证|证件|\bid card", r"\d{15}|\d{17}[\dXx]"),
        ("card", r"卡|\bcard", r"\d{12,19}"),
        (
            "phone",
            r"手机|电话|座机|拨打|致电|打给我|\b(?:phone|mobile|cell|tel|call|fax|my)",
            r"(?![48]00\d{7}$)\d{7,13}",
        ),
    )
)
_CARD_WORD = re.compile(r"卡|账户|\bcard\b|\baccount\b", re.IGNORECASE)
_PHONE_WORD = re.compile(
    r"电话|手机|号码|打给|联系|致电|座机|传真|\b(?:call|phone|mobile|cell|text|reach|tel|fax|whatsapp|dial)\b",
    re.IGNORECASE,
)
_MOBILE = re.compile(r"(?:(?:00)?86)?1[3-9]\d{9}")
_LANDLINE = re.compile(r"0(?:10|2\d|[3-9]\d{2})[2-9]\d{6,7}")
_NORTH_AMERICA = re.compile(r"\(?\b[2-9]\d{2}\)?[ .-]{1,2}[2-9]\d{2}[ .-]\d{4}\b")
_CARD_PREFIX = re.compile(r"[3-6]|2(?:2[2-9]|[3-6]|7[01]|720)")
_IDENTITY_CARD = re.compile(r"[1-6]\d{5}(?:19|20)\d{9}[\dXx]|[78][123]\d{4}(?:19|20)\d{9}[\dXx]")
_NETWORK_ADDRESS = re.compile(r"(?:\d{1,3}\.){3}\d{1,3}")
_CONTEXT = 16


def find_numbers(text: str) -> Iterator[Span]:
    """Yield the identity card, bank card and phone numbers of a folded text.

    A run of digits may be cut by separators. It counts as a whole, and so does every part of it that
    begins and ends where its groups do; numbers named as an order's, an invoice's or the like are left.
    """
    for run in _RUN.finditer(text):
        whole = run.group()
        if _AMOUNT.fullmatch(whole) or _NETWORK_ADDRESS.fullmatch(whole) or _UNIT.match(text, run.end()):
            continue
        yield from _in_run(text, run)
    yield from _international(text)
    for match in _NORTH_AMERICA.finditer(text):
        if _is_phone(match.group(), "US") and not _BUSINESS.search(text[: match.start()]):
            yield match.start(), match.end(), "phone"
    for match in re.finditer(r"\b\d{3}-\d{2}-\d{4}\b", text):
        if ssn.is_valid(match.group()):
            yield match.start(), match.end(), "id"


def kind_of(digits: str, before: str = "", phone_word: bool = True) -> str:
    """Name what a number is by its digits, ``x`` included; empty: nothing private.

    Args:
        digits: without separators.
        before: the text in front of it, which may name it as an order's.
        phone_word: whether the text speaks of a phone.
    """
    if _is_identity_card(digits):
        return "id"
    for kind, form in _labels(before):
        if form.fullmatch(digits):
            return kind
    if _of_business(before) or not digits.isdigit():
        return ""
    if 13 <= len(digits) <= 19 and _CARD_PREFIX.match(digits) and luhn.is_valid(digits):  # noqa: PLR2004 - ISO/IEC 7812
        return "card"
    american = phone_word and len(digits) == 10 and _is_phone(digits, "US")  # noqa: PLR2004 - North America's length
    return "phone" if _MOBILE.fullmatch(digits) or _LANDLINE.fullmatch(digits) or american else ""


@lru_cache(maxsize=64)
def _labels(before: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the kinds that the words in front of a number name, each with its form; a run asks for every part of it."""
    return [(kind, form) for kind, label, form in _LABELS if label.search(before)]


@lru_cache(maxsize=64)
def _of_business(before: str) -> bool:
    return bool(_BUSINESS.search(before)) and not _CARD_WORD.search(before[-_CONTEXT:])


def _in_run(text: str, run: re.Match[str]) -> Iterator[Span]:
    groups = [(run.start() + g.start(), run.start() + g.end()) for g in _GROUP.finditer(run.group())]
    first = 0
    while first < len(groups):
        begin = groups[first][0]
        before = text[max(0, begin - 2 * _CONTEXT) : begin]
        of_phone = bool(_PHONE_WORD.search(before))
        for last in range(len(groups), first, -1):
            end = groups[last - 1][1]
            digits = re.sub(r"[^\dXx]", "", text[begin:end])
            if kind := kind_of(digits, before, of_phone):
                yield begin, end, kind
                first = last - 1
                break
        first += 1


def _international(text: str) -> Iterator[Span]:
    if "+" in text:
        for match in phonenumbers.PhoneNumberMatcher(text, None, leniency=phonenumbers.Leniency.POSSIBLE):
            yield match.start, match.end, "phone"


def _is_identity_card(digits: str) -> bool:
    """Check the date and the check digit (GB 11643); codes of places change, so they are not looked up."""
    if not _IDENTITY_CARD.fullmatch(digits):
        return False
    try:
        return ric.calc_check_digit(digits) == digits[-1].upper() and bool(ric.get_birth_date(digits))
    except ValidationError:
        return False


def _is_phone(number: str, region: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False
