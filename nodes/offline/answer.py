"""Wording an answer: points that quote the passages, each with its source behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.language import Language, language
from nodes.offline.extract import MAX_POINTS, extract
from nodes.offline.phrases import ABOUT, OPEN_POINT, POINTS, QUOTED
from nodes.offline.request import Source
from nodes.offline.units import Unit
from nodes.phrases import NOT_FOUND

_QUOTES: dict[Language, tuple[str, str]] = {"zh": ("「", "」"), "en": ('"', '"')}


@dataclass(frozen=True, slots=True)
class Finding:
    """A question of the message, and the units that answer it (none: it stays open)."""

    question: str
    units: tuple[Unit, ...]


def find(
    question: str, query: str, sources: Sequence[Source], context: str, points: int = MAX_POINTS
) -> Finding:
    """Look for the answer to one question in the passages of its search.

    Args:
        question: the question in the user's words.
        query: what was searched for, the question in full.
        sources: the passages found.
        context: what is known of the user.
        points: at most so many points, but a procedure is kept whole.
    """
    found = extract(query, sources, context)
    return Finding(question, tuple(found if found and found[0].step else found[:points]))


def word(findings: Sequence[Finding], lang: Language) -> str:
    """Write the answer to all questions of a message in the user's language.

    Args:
        findings: one a question, in the order of asking.
        lang: the language of the newest message.
    """
    if not any(f.units for f in findings):
        return NOT_FOUND[lang]
    if len(findings) == 1:
        return _answer(findings[0], lang)
    return "\n\n".join(_part(f, lang) for f in findings)


def _part(finding: Finding, lang: Language) -> str:
    if not finding.units:
        return OPEN_POINT[lang].format(question=finding.question)
    lines = [_line(u, lang) for u in finding.units]
    return "\n".join([ABOUT[lang].format(question=finding.question), *lines])


def _answer(finding: Finding, lang: Language) -> str:
    foreign = any(language(u.text) != lang for u in finding.units)
    if len(finding.units) == 1 and not foreign:
        return _cited(finding.units[0], lang)
    return "\n".join([(QUOTED if foreign else POINTS)[lang], *(_line(u, lang) for u in finding.units)])


def _line(unit: Unit, lang: Language) -> str:
    return f"{f'{unit.step}.' if unit.step else '-'} {_cited(unit, lang)}"


def _cited(unit: Unit, lang: Language) -> str:
    """Quote a unit in its own language, in quotation marks when that is not the user's."""
    written = language(unit.text)
    before, behind = _QUOTES[written] if written != lang else ("", "")
    return f"{before}{unit.text}{behind} [{unit.source.id}]"
