"""Which tools the offline model calls, decided from the question and what this turn has found so far."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from nodes.offline.request import Lookup, Request
from nodes.offline.scoring import related
from nodes.parts import standalone_parts
from nodes.talk import is_small_talk
from nodes.words import content_words, features

SEARCH = "search_kb"
ARTICLE = "get_article"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to make."""

    name: str
    args: dict[str, Any]


def next_calls(request: Request, tools: Collection[str]) -> list[Call]:
    """Decide what to look up next; nothing means that it is time to answer.

    First every question of the message is searched for, side by side. A search that found nothing
    related is tried once more by its content words alone; a related passage that lacks the words of
    the question has its whole article read.

    Args:
        request: the call, read.
        tools: names of the tools that are bound.
    """
    searched = [lookup for lookup in request.lookups if lookup.tool == SEARCH]
    if SEARCH in tools and not searched:
        return [Call(SEARCH, {"query": query}) for query in queries(request)]
    calls: list[Call] = []
    for lookup in searched:
        if related(lookup.query, lookup.sources):
            calls += _read_whole(lookup, request) if ARTICLE in tools else ()
        elif SEARCH in tools:
            calls += _try_again(lookup, searched)
    return list({(c.name, *c.args.values()): c for c in calls}.values())


def queries(request: Request) -> list[str]:
    """Return what to search for: each question of the message, completed from what was said before it.

    Small talk alone gives none.
    """
    if is_small_talk(request.question):
        return []
    return standalone_parts(request.question, request.history)


def article_of(passage_id: str) -> str:
    """Return the id of the article that a passage stands in (``kb-002`` of ``kb-002#1``)."""
    return passage_id.rpartition("#")[0]


def keywords(query: str) -> str:
    """Return what a search is tried again by: the content words of its query, each once."""
    return " ".join(dict.fromkeys(content_words(query)))


def _try_again(lookup: Lookup, searched: list[Lookup]) -> list[Call]:
    again = keywords(lookup.query)
    return [Call(SEARCH, {"query": again})] if again and again not in {s.query for s in searched} else []


def _read_whole(lookup: Lookup, request: Request) -> list[Call]:
    best, asked = lookup.sources[0], features(lookup.query)
    article = article_of(best.id)
    read = {done.query for done in request.lookups if done.tool == ARTICLE}
    lacks = not asked & features(best.text) and bool(asked & features(best.section))
    return [Call(ARTICLE, {"doc_id": article})] if lacks and article not in read else []
