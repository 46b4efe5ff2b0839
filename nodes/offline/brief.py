"""Wording a conclusion within a limit of characters: a line for each fact, every point in turn."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from nodes.language import Language
from nodes.offline.answer import Finding

_MISSING: dict[Language, str] = {"zh": "未找到：{point}", "en": "Not found: {point}"}


def brief(findings: Sequence[Finding], most_chars: int, lang: Language) -> str:
    """Write what was found in short: the best unit of every point, then the next ones, as far as there is room.

    Args:
        findings: one a point.
        most_chars: characters of the facts; that a point is missing is said in any case.
        lang: the language of the task.
    """
    missing = [_MISSING[lang].format(point=finding.question) for finding in findings if not finding.units]
    ranked = chain.from_iterable(zip_longest(*(finding.units for finding in findings)))
    lines = dict.fromkeys(f"- {unit.text} [{unit.source.id}]" for unit in ranked if unit)
    kept: list[str] = []
    for line in lines:
        if sum(map(len, kept)) + len(line) <= most_chars:
            kept.append(line)
    return "\n".join([*kept, *missing])
