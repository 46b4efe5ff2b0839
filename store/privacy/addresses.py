"""Home addresses, Chinese and English: a street with a number, and a door or the word home."""

import re
from collections.abc import Iterator

from store.privacy.numbers import Span

_NUMBER = r"[\d零〇一二三四五六七八九十百]{1,6}"
_HAN = r"[一-鿿]"
_PLACE = rf"(?:{_HAN}{{2,9}}(?:省|自治区|市|区|县|镇|乡|街道|村)\s*){{0,5}}"
_ROAD = rf"(?:{_HAN}{{1,8}}?(?:路|街|大道|道|巷|胡同|弄)\s*(?:{_NUMBER}\s*(?:号院?|弄|巷)\s*)?)"
_ESTATE = rf"(?:{_HAN}{{2,8}}?(?:花园|小区|家园|新村|公寓|嘉园|苑|城|村|里|府|庭|轩|湾)\s*)"
_DOOR = rf"(?:{_NUMBER}\s*(?:号楼|号院|号|栋|幢|座|单元|楼|层|室|房|户)?\s*[-－]?\s*)"
_BUILDING = rf"(?:{_HAN}{{2,10}}?(?:大厦|中心|广场|大楼|楼|座|阁|园|区)\s*)?"
_CHINESE = re.compile(rf"{_PLACE}(?:{_ROAD}{_ESTATE}?(?:{_BUILDING}{_DOOR}{{1,5}})?|{_ESTATE}{_DOOR}{{1,5}})")
_DOORS = re.compile(
    rf"{_HAN}{{0,12}}{_NUMBER}\s*(?:号楼|号院|栋|幢)\s*{_NUMBER}\s*(?:单元|室|楼|层|号|{_NUMBER})?"
)
_NUMBERED = re.compile(rf"(?:路|街|大道|道|巷|胡同|弄)\s*{_NUMBER}\s*(?:号|弄|巷)")
_DOORED = re.compile(rf"{_NUMBER}\s*(?:室|单元|栋|幢|号楼|座|房)|{_NUMBER}\s*[号弄]\s*{_NUMBER}")
_STREET_OR_ESTATE = re.compile(r"路|街|道|巷|弄|胡同|花园|小区|家园|新村|公寓|苑|村")
_HOME = re.compile(r"家住|住在|我住|我家|家里|住址|地址|收货|收件|寄到|送到|邮寄|快递到")

_STREET = r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Boulevard|Blvd|Way|Terrace|Place|Pl|Close|Crescent|Square|Sq)"
_ENGLISH = re.compile(
    rf"(?<![A-Za-z\d])\d{{1,5}}[A-Za-z]?,? (?:[NSEW]\.? )?(?:[A-Z][\w'.-]+ ){{1,3}}{_STREET}\b\.?"
    r"(?:,? ?(?:Apt|Apartment|Unit|Suite|Flat|#)\.? ?\w{1,5})?"
    r"(?:,? [A-Z][A-Za-z .]{2,20}?(?:,? [A-Z]{2})?,? (?:\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}))?"
)


def find_addresses(text: str) -> Iterator[Span]:
    """Yield the home addresses of a folded text.

    A Chinese one has a road or an estate and a door, or a road with a number where the text speaks of a
    home or a delivery. An office by name alone, a city, a road without a number are none.
    """
    for match in _CHINESE.finditer(text):
        place = match.group()
        near = text[max(0, match.start() - 12) : match.start() + 8]
        has_door = _DOORED.search(place) and _STREET_OR_ESTATE.search(place)
        if has_door or (_NUMBERED.search(place) and _HOME.search(near)):
            yield _without_lead(match), match.end(), "address"
    for match in _DOORS.finditer(text):
        yield _without_lead(match), match.end(), "address"
    for match in _ENGLISH.finditer(text):
        yield match.start(), match.end(), "address"


def _without_lead(match: re.Match[str]) -> int:
    """Leave the words in front of an address (「我家住在」) outside of it."""
    lead = re.match(rf"{_HAN}*?(?:家住在?|住在|我住|寄到|送到|地址[是为]?|我家在?|在)", match.group())
    return match.start() + (lead.end() if lead else 0)
