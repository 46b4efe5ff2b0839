"""The offline model's answer: from this turn's passages, or to small talk."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from nodes.language import Language
from nodes.memory.cues import says
from nodes.offline.answer import Finding, answered, word
from nodes.offline.brief import brief
from nodes.offline.extract import OF_SEVERAL, ONE_QUESTION, extract
from nodes.offline.phrases import ASKED_LAST
from nodes.offline.policy import ARTICLE, RESEARCH, SEARCH, SUBSCRIPTION, answers, article_of, keywords, names
from nodes.offline.request import Lookup, Request, Source
from nodes.offline.scoring import Nearness, unrelated_meaning
from nodes.offline.units import Unit, units
from nodes.phrases import OPEN_POINT
from nodes.smalltalk import talk

_WEAKER: Mapping[str, str] = {"good": "weak", "weak": "weak", "poor": "poor"}


def reply(request: Request, near: Nearness = unrelated_meaning) -> str:
    """Write the answer to a request for which nothing more is looked up.

    Args:
        request: the call, read.
        near: nearness in meaning.
    """
    lang = request.language
    if told := [*_conclusions(request.lookups, lang), *_records(request.lookups)]:
        return "\n\n".join(told)
    searched = _searches(request.lookups)
    if not searched:
        return _asked_last(request) or talk(request.question, lang, request.product)
    findings = _findings(searched, request, near)
    return brief(findings, request.most_chars, lang) if request.most_chars else word(findings, lang)


def _asked_last(request: Request) -> str:
    """Return what the user asked last, where that is what they ask; else nothing."""
    last = next((text for role, text in reversed(request.history) if role == "user"), "")
    wanted = last and says("asks what was asked", request.question)
    return ASKED_LAST[request.language].format(question=last) if wanted else ""


def _conclusions(lookups: Sequence[Lookup], lang: Language) -> Iterator[str]:
    """Yield what the researcher came back with, and what it says that it did not find or finish."""
    for record in (done.record for done in lookups if done.tool == RESEARCH and done.record):
        if text := record.get("conclusion"):
            yield str(text)
        for point in (*record.get("not_found", ()), *record.get("unfinished", ())):
            yield OPEN_POINT[lang].format(question=point)


def _records(lookups: Sequence[Lookup]) -> Iterator[str]:
    """Yield what the business system knows of the user."""
    for source in (s for done in lookups if done.tool == SUBSCRIPTION for s in done.sources):
        yield "\n".join(f"- {unit.text} [{source.id}]" for unit in units(source, 0))


def compared_texts(request: Request) -> list[str]:
    """Return the texts whose nearness in meaning `reply` may ask for, each once."""
    return list(dict.fromkeys(_compared(request)))


def _compared(request: Request) -> Iterator[str]:
    searched = _searches(request.lookups)
    yield from names(request.question, searched)
    for lookup in searched:
        sources = _with_articles(lookup, request.lookups)
        if sources:
            yield lookup.query
        for source in sources:
            yield source.section
            yield from (unit.text for unit in units(source, 0))


def _findings(searched: Sequence[Lookup], request: Request, near: Nearness) -> list[Finding]:
    """Answer each search from its own passages."""
    room = ONE_QUESTION if len(searched) == 1 else OF_SEVERAL
    return [
        Finding(name, tuple(_units(lookup, name, request, near, room)))
        for name, lookup in zip(names(request.question, searched), searched, strict=True)
    ]


def _units(lookup: Lookup, asked: str, request: Request, near: Nearness, room: int) -> list[Unit]:
    sources = _with_articles(lookup, request.lookups)
    if not answers(replace(lookup, sources=sources), asked, near):
        return []
    told = "\n".join(answered(text) for role, text in request.history if role == "assistant")
    follows = lookup.query != asked  # what is asked again word for word is also answered again
    return extract(lookup.query, sources, asked, request.current, near, room, told if follows else "")


def _searches(lookups: Sequence[Lookup]) -> list[Lookup]:
    """Return the searches to answer from: a second try, by keywords, stands in for the first that failed."""
    kept: list[Lookup] = []
    for lookup in (done for done in lookups if done.tool == SEARCH):
        earlier = next((n for n, k in enumerate(kept) if keywords(k.query) == lookup.query), None)
        if earlier is None:
            kept.append(lookup)
        else:  # what was asked is still the question, and few words match well by themselves
            kept[earlier] = replace(lookup, query=kept[earlier].query, match=_WEAKER[lookup.match])
    return kept


def _with_articles(lookup: Lookup, lookups: Sequence[Lookup]) -> tuple[Source, ...]:
    """Return a search's passages, and behind them the rest of the articles of theirs that were read."""
    articles = {article_of(s.id) for s in lookup.sources}
    known = {s.id for s in lookup.sources}
    read = [s for done in lookups if done.tool == ARTICLE and done.query in articles for s in done.sources]
    return (*lookup.sources, *(s for s in read if s.id not in known))
