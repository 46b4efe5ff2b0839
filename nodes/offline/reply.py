"""The offline model's answer: from this turn's passages, or to small talk."""

from collections.abc import Sequence

from nodes.language import language
from nodes.offline.answer import Finding, find, word
from nodes.offline.extract import MAX_POINTS, related
from nodes.offline.phrases import talk
from nodes.offline.policy import ARTICLE, SEARCH, article_of
from nodes.offline.request import Lookup, Request, Source
from nodes.questions import split_questions
from nodes.words import features


def reply(request: Request) -> str:
    """Write the answer to a request for which nothing more is looked up.

    Args:
        request: the call, read.
    """
    lang = language(request.question)
    searched = _searches(request.lookups)
    if not searched:
        return talk(request.question, lang, request.product)
    names = _names(request.question, searched)
    points = MAX_POINTS if len(searched) == 1 else MAX_POINTS // 2
    return word(_findings(names, searched, request, points), lang)


def _findings(
    names: Sequence[str], searched: Sequence[Lookup], request: Request, points: int
) -> list[Finding]:
    """Answer each search from its own passages; nothing is said twice."""
    found: list[Finding] = []
    said: set[tuple[str, str]] = set()
    for name, lookup in zip(names, searched, strict=True):
        sources = _with_articles(lookup, request.lookups)
        finding = find(name, lookup.query, sources, request.current, points)
        fresh = tuple(u for u in finding.units if (u.source.id, u.text) not in said)
        said |= {(u.source.id, u.text) for u in fresh}
        found.append(Finding(name, fresh or finding.units))
    return found


def _searches(lookups: Sequence[Lookup]) -> list[Lookup]:
    """Return the searches to answer from: a second try, by keywords, stands in for the first that failed."""
    searched = [lookup for lookup in lookups if lookup.tool == SEARCH]
    kept: list[Lookup] = []
    for lookup in searched:
        failed = next((n for n, k in enumerate(kept) if _same_words(k, lookup)), None)
        if failed is None:
            kept.append(lookup)
        elif related(lookup.query, lookup.sources):
            kept[failed] = lookup
    return kept


def _same_words(one: Lookup, other: Lookup) -> bool:
    return features(one.query) == features(other.query)


def _names(question: str, searched: Sequence[Lookup]) -> list[str]:
    """Name each search by the user's own words where the message has as many questions."""
    parts = split_questions(question)
    return parts if len(parts) == len(searched) else [s.query for s in searched]


def _with_articles(lookup: Lookup, lookups: Sequence[Lookup]) -> tuple[Source, ...]:
    """Return a search's passages, and behind them the rest of the articles of theirs that were read."""
    articles = {article_of(s.id) for s in lookup.sources}
    known = {s.id for s in lookup.sources}
    read = [s for done in lookups if done.tool == ARTICLE and done.query in articles for s in done.sources]
    return (*lookup.sources, *(s for s in read if s.id not in known))
