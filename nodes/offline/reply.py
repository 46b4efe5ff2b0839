"""The offline model's answer: from this turn's passages, or to small talk."""

from collections.abc import Iterator, Sequence

from nodes.language import language
from nodes.offline.answer import Finding, word
from nodes.offline.extract import OF_SEVERAL, ONE_QUESTION, extract
from nodes.offline.phrases import talk
from nodes.offline.policy import ARTICLE, SEARCH, article_of, keywords
from nodes.offline.request import Lookup, Request, Source
from nodes.offline.scoring import Nearness, related, unrelated_meaning
from nodes.offline.units import units
from nodes.questions import split_questions


def reply(request: Request, near: Nearness = unrelated_meaning) -> str:
    """Write the answer to a request for which nothing more is looked up.

    Args:
        request: the call, read.
        near: nearness in meaning.
    """
    lang = language(request.question)
    searched = _searches(request.lookups)
    if not searched:
        return talk(request.question, lang, request.product)
    return word(_findings(searched, request, near), lang)


def compared_texts(request: Request) -> list[str]:
    """Return the texts whose nearness in meaning `reply` may ask for, each once."""
    return list(dict.fromkeys(_compared(request)))


def _compared(request: Request) -> Iterator[str]:
    for lookup in _searches(request.lookups):
        sources = _with_articles(lookup, request.lookups)
        if sources:
            yield lookup.query
        for source in sources:
            yield source.section
            yield from (unit.text for unit in units(source, 0))


def _findings(searched: Sequence[Lookup], request: Request, near: Nearness) -> list[Finding]:
    """Answer each search from its own passages."""
    points = ONE_QUESTION if len(searched) == 1 else OF_SEVERAL
    return [
        Finding(
            name,
            tuple(
                extract(lookup.query, _with_articles(lookup, request.lookups), request.current, near, points)
            ),
        )
        for name, lookup in zip(_names(request.question, searched), searched, strict=True)
    ]


def _searches(lookups: Sequence[Lookup]) -> list[Lookup]:
    """Return the searches to answer from: a second try, by keywords, stands in for the first that failed."""
    kept: list[Lookup] = []
    for lookup in (done for done in lookups if done.tool == SEARCH):
        earlier = next((n for n, k in enumerate(kept) if keywords(k.query) == lookup.query), None)
        if earlier is None:
            kept.append(lookup)
        elif related(lookup.query, lookup.sources):
            kept[earlier] = lookup
    return kept


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
