"""Which tools the offline model calls, decided from the question and what this turn has found so far."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from nodes.comparison import is_wide
from nodes.intents import intents, means
from nodes.loop import MOST_AT_ONCE
from nodes.offline.request import Lookup, Request
from nodes.offline.scoring import Nearness, covered, related, unrelated_meaning
from nodes.parts import points, standalone_parts
from nodes.questions import split_questions
from nodes.standalone import complete
from nodes.words import content_words, features

SEARCH = "search_kb"
ARTICLE = "get_article"
RESEARCH = "research"
SUBSCRIPTION = "get_subscription"
REFUND = "request_refund"
_REASON_CHARS = 500
_SURE = 0.6
"""Probability from which a message wants a thing done and not told: a person is asked to approve it."""
_OWN = 0.8
"""Probability from which a message asks for nothing but the user's own data, of which no article can tell."""
_REFUND = re.compile(r"退[了掉款钱费]|\brefund|\bmoney back\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to make."""

    name: str
    args: dict[str, Any]


def next_calls(request: Request, tools: Collection[str], near: Nearness = unrelated_meaning) -> list[Call]:
    """Decide what to look up next; nothing means that it is time to answer.

    What needs much reading goes to the researcher, what the business system knows is asked of it (and of the help
    centre, where it knows nothing and the question may be a general one), a refund that is wanted is requested, and every other question of the message is searched for, side by side. A search that found
    nothing related, or that says itself that it matched poorly, is tried once more by its content words alone; a
    related passage that lacks the words of the question, or of a comparison, has its whole article read.

    Args:
        request: the call, read.
        tools: names of the tools that are bound.
        near: nearness in meaning.
    """
    if not request.lookups:
        return [call for call in first_calls(request) if call.name in tools]
    if no_record(request.lookups) and intents(request.question)["account"] < _OWN:
        return [Call(SEARCH, {"query": query}) for query in queries(request) if SEARCH in tools]
    searched = [lookup for lookup in request.lookups if lookup.tool == SEARCH]
    calls: list[Call] = []
    for lookup, asked in zip(searched, names(request.question, searched), strict=True):
        if answers(lookup, asked, near):
            calls += _read_whole(lookup, request) if ARTICLE in tools else ()
        elif SEARCH in tools:
            calls += _try_again(lookup, searched)
    return list({(c.name, *c.args.values()): c for c in calls}.values())


def first_calls(request: Request) -> list[Call]:
    """Return what to look up for a question that nothing was looked up for yet."""
    if means(request.question, "account"):
        return [Call(SUBSCRIPTION, {})]
    if request.most_chars:  # the researcher itself
        return [Call(SEARCH, {"query": query}) for query in points(request.question)][:MOST_AT_ONCE]
    if is_wide(request.question) or means(request.question, "everything"):
        return [Call(RESEARCH, {"task": complete(request.question, request.history).text})]
    asked = intents(request.question)["action"] > _SURE and _REFUND.search(request.question)
    acting = [Call(REFUND, {"reason": request.question[:_REASON_CHARS]})] if asked else []
    return acting + [Call(SEARCH, {"query": query}) for query in queries(request)]


def no_record(lookups: Sequence[Lookup]) -> bool:
    """Tell whether the business system alone was asked, and knows nothing of the user."""
    return bool(lookups) and all(done.tool == SUBSCRIPTION and not done.sources for done in lookups)


def queries(request: Request) -> list[str]:
    """Return what to search for: each question of the message, completed from what was said before it.

    Small talk alone gives none.
    """
    if means(request.question, "smalltalk"):
        return []
    return standalone_parts(request.question, request.history)


def answers(lookup: Lookup, asked: str, near: Nearness = unrelated_meaning) -> bool:
    """Tell whether a search is worth answering from: the weaker its match, the more it must speak of what is asked.

    Args:
        lookup: the search.
        asked: the user's own words for it, see `names`.
        near: nearness in meaning.
    """
    if lookup.match == "poor" or not related(lookup.query, lookup.sources, near):
        return False
    said = asked if content_words(asked) else lookup.query
    return lookup.match == "good" or covered(said, lookup.sources, near)


def names(question: str, searched: Sequence[Lookup]) -> list[str]:
    """Name each search by the user's own words where the message has as many questions, else by its query."""
    parts = split_questions(question)
    return parts if len(parts) == len(searched) else [lookup.query for lookup in searched]


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
    wanted = lacks or means(request.question, "comparison")
    return [Call(ARTICLE, {"doc_id": article})] if wanted and article not in read else []
