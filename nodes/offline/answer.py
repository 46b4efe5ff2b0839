"""Wording an answer: points that quote the passages, each with its source behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import takewhile, zip_longest

from nodes.language import Language, language
from nodes.offline.phrases import ABOUT, MORE, POINTS, QUOTED
from nodes.offline.units import Unit, asks
from nodes.phrases import NOT_FOUND, OPEN_POINT

_QUOTES: dict[Language, tuple[tuple[str, str], ...]] = {
    "zh": (("「", "」"), ("“", "”")),
    "en": (('"', '"'), ("“", "”")),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A question of the message, and the units that answer it (none: it stays open)."""

    question: str
    units: tuple[Unit, ...]


def word(findings: Sequence[Finding], lang: Language) -> str:
    """Write the answer to all questions of a message in the user's language.

    Args:
        findings: one a question, in the order of asking.
        lang: the language of the newest message.
    """
    if not any(f.units for f in findings):
        return NOT_FOUND[lang]
    if len(findings) == 1:
        return _answer(findings[0].units, lang)
    return "\n\n".join(_part(f, lang) for f in findings)


def answered(answer: str) -> str:
    """Return what an answer says to its question, without what it offers beside that, which nobody asked for yet."""
    return "\n".join(takewhile(lambda line: line not in MORE.values(), answer.splitlines()))


def _part(finding: Finding, lang: Language) -> str:
    if not finding.units:
        return OPEN_POINT[lang].format(question=finding.question)
    return "\n".join([ABOUT[lang].format(question=finding.question), *_lines(finding.units, lang)])


def _answer(units: Sequence[Unit], lang: Language) -> str:
    written = [language(u.text) != lang for u in units if u.kind != "code"]
    foreign = 2 * sum(written) > len(written)  # a name or an address is foreign anywhere
    if len(units) == 1 and not foreign and "\n" not in units[0].text:
        return _cited(units[0], lang, "")
    best = [*takewhile(lambda unit: unit.source.id == units[0].source.id, units)]
    more = [*_lines(units[len(best) :], lang)]
    return "\n".join(
        [
            (QUOTED if foreign else POINTS)[lang],
            *_lines(best, lang),
            *([f"\n{MORE[lang]}", *more] if more else []),
        ]
    )


def _lines(units: Sequence[Unit], lang: Language) -> Iterator[str]:
    """Yield a list item a paragraph or other unit; the steps of a procedure, which begins at one, have their numbers."""
    counted, lead = 0, ""
    told = reduce(_joined, units, list[Unit]())
    for unit, after in zip_longest(told, told[1:]):
        begins = unit.step == 1 and after is not None and after.step == 2  # noqa: PLR2004 - one, two
        counted = unit.step if begins or (counted and unit.step == counted + 1) else 0
        if "\n" in unit.text:  # a fenced piece of code is no list item
            yield f"{unit.text}\n[{unit.source.id}]"
        else:
            yield f"{f'{counted}.' if counted else '-'} {_cited(unit, lang, lead)}"
        lead = unit.lead


def _joined(told: list[Unit], unit: Unit) -> list[Unit]:
    """Add a unit to those before it; a sentence right behind another of its paragraph goes on with it."""
    if not told or unit.kind != "paragraph":
        return [*told, unit]
    before = told[-1]
    place = (before.source.id, before.kind, before.block, before.lead, before.place + 1)
    if place != (unit.source.id, unit.kind, unit.block, unit.lead, unit.place):
        return [*told, unit]
    gap = "" if language(before.text) == "zh" else " "
    return [*told[:-1], replace(unit, text=f"{before.text}{gap}{unit.text}")]


def _cited(unit: Unit, lang: Language, said: str) -> str:
    """Quote a unit, in quotation marks when its language is not the user's.

    A question that it answers stands in front, unless it was the last one that was said; without its
    question mark, so that both are one sentence with one source.
    """
    written = language(unit.text)
    lead = unit.lead.rstrip("?？ ") if asks(unit.lead) and unit.lead != said else ""
    colon = "：" if written == "zh" else ": "
    if written == lang or unit.kind == "code":
        return f"{_quoted(lead, lang) + colon if lead else ''}{unit.text} [{unit.source.id}]"
    return f"{_quoted(f'{lead}{colon}{unit.text}' if lead else unit.text, lang)} [{unit.source.id}]"


def _quoted(text: str, lang: Language) -> str:
    """Put a text between quotation marks of the answer's language that it does not use itself."""
    before, behind = next((pair for pair in _QUOTES[lang] if pair[0] not in text), _QUOTES[lang][-1])
    return f"{before}{text}{behind}"
