"""Passages in the log: a search is a ``search_kb`` call and its result, whoever asked for it."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from nodes.language import language
from nodes.phrases import ANSWER_FROM_PASSAGES, SEARCH_AGAIN
from nodes.window.tokens import estimate_tokens
from store.articles import Article
from store.confidence import CERTAIN, HOPEFUL
from store.search import Passage

SEARCH_TOOL = "search_kb"
ARTICLE_TOOL = "get_article"
RESEARCH_TOOL = "research"
SUBSCRIPTION_TOOL = "get_subscription"
PASSAGE_TOOLS = frozenset({SEARCH_TOOL, ARTICLE_TOOL, RESEARCH_TOOL, SUBSCRIPTION_TOOL})
"""Tools whose results hold passages that may be cited; what any other tool returns is no passage."""

Match = Literal["good", "weak", "poor"]
"""How well a search matched: good enough to answer from, worth a look, or most likely no answer."""

PAGE_TOKENS = 1_000
"""A page of an article, below what a result may take in the window."""


def search_messages(query: str, passages: Sequence[Passage], *, turn: str, ms: int) -> list[BaseMessage]:
    """Return the call and the result that record one search.

    Args:
        query: what was searched for.
        passages: what was found, best first.
        turn: id of the user message that the search belongs to.
        ms: how long the search took.
    """
    return step_messages({query: passages}, turn=turn, ms=ms)


def step_messages(found: Mapping[str, Sequence[Passage]], *, turn: str, ms: int) -> list[BaseMessage]:
    """Return the calls and the results that record the searches of one step.

    The ids come from the turn and the queries, so that a step that runs again after a crash replaces its own
    messages instead of adding to them.

    Args:
        found: query → what was found, best first.
        turn: id of the user message that the searches belong to.
        ms: how long they took.
    """
    calls = {query: search_call(query, turn) for query in found}
    asked = next(iter(calls.values()))
    results = [
        ToolMessage(
            encode(passages, query),
            id=f"{calls[query]['id']}-result",
            name=SEARCH_TOOL,
            tool_call_id=calls[query]["id"],
            artifact=artifact(passages, ms=ms),
        )
        for query, passages in found.items()
    ]
    return [AIMessage("", id=f"{asked['id']}-ask", tool_calls=[*calls.values()]), *results]


def search_call(query: str, turn: str) -> ToolCall:
    """Return the call of a search that no model asked for.

    Args:
        query: what is searched for.
        turn: id of the user message that the search belongs to.
    """
    digest = blake2b(f"{turn}\0{query}".encode(), digest_size=9).hexdigest()
    return ToolCall(name=SEARCH_TOOL, args={"query": query}, id=f"call_{digest}", type="tool_call")


def artifact(passages: Sequence[Passage], *, ms: int) -> dict[str, Any]:
    """Return what people and code need to know of passages; a model is not sent it.

    Args:
        passages: what a tool returned, best first.
        ms: how long it took.
    """
    titles = {passage.id: passage.title for passage in passages}
    return {"titles": titles, "ms": ms, "confidence": round(best_confidence(passages), 3)}


def encode(passages: Sequence[Passage], query: str) -> str:
    """Return passages as the model reads them: JSON, so that no text can pose as another passage.

    How well they match stands behind them, and the task, for a small model has forgotten the question by then.
    """
    match = match_of(best_confidence(passages))
    task = (ANSWER_FROM_PASSAGES if match != "poor" else SEARCH_AGAIN)[language(query)].replace(
        "<question>", query
    )
    listed = [*map(_listed, passages)]
    return json.dumps({"passages": listed, "match": match, "task": task}, ensure_ascii=False)


def best_confidence(passages: Sequence[Passage]) -> float:
    """Return the confidence of the passage that most likely answers; 0 without passages."""
    return max((passage.confidence for passage in passages), default=0.0)


def match_of(confidence: float) -> Match:
    """Name how well a search matched by the confidence of its best passage."""
    if confidence >= CERTAIN:
        return "good"
    return "weak" if confidence >= HOPEFUL else "poor"


def article(found: Article, page: int) -> tuple[list[Passage], str]:
    """Return a page of an article: its passages, and the same as the model reads them.

    A page ends before it would be cut on its way into the window; a page beyond the last one is the last.
    """
    pages: list[list[Passage]] = [[]]
    taken = 0
    for passage in found.passages:
        taken += estimate_tokens(encoded := json.dumps(_listed(passage), ensure_ascii=False))
        if pages[-1] and taken > PAGE_TOKENS:
            pages.append([])
            taken = estimate_tokens(encoded)
        pages[-1].append(passage)
    shown = pages[min(page, len(pages)) - 1]
    place = {"doc_id": found.doc_id, "title": found.title, "page": min(page, len(pages)), "pages": len(pages)}
    return shown, json.dumps({**place, "passages": [*map(_listed, shown)]}, ensure_ascii=False)


def passages_in(messages: Sequence[BaseMessage]) -> dict[str, Mapping[str, str]]:
    """Return every passage that the tool results of some messages hold, by id, with id, title, section and text.

    Those that a sub-agent read stand in the artifact of its result. A later one of the same id wins.

    Args:
        messages: a thread's log or a part of it.
    """
    found: dict[str, Mapping[str, str]] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.name in PASSAGE_TOOLS and message.status != "error":
            kept = message.artifact or {}
            titles = tuple(kept.get("titles", {}).items())
            read = kept.get("passages")
            found.update(_titled(read, titles) if read else _decode(message.text, titles))
    return found


def records_in(turn: Sequence[BaseMessage]) -> list[str]:
    """Return what this turn's tools told beside passages, such as the user's subscription or what was done.

    Args:
        turn: the messages of one turn.
    """
    return [
        message.text
        for message in turn
        if isinstance(message, ToolMessage)
        and message.name not in PASSAGE_TOOLS
        and message.status != "error"
    ]


def _listed(passage: Passage) -> dict[str, str]:
    return {"id": passage.id, "section": passage.section, "text": passage.text}


@lru_cache(maxsize=1_024)  # a thread's results are read at every turn, and never change
def _decode(content: str, titles: tuple[tuple[str, str], ...]) -> dict[str, Mapping[str, str]]:
    try:
        return _titled(json.loads(content)["passages"], titles)
    except (ValueError, KeyError, TypeError):
        return {}  # an error that a tool reported instead of passages


def _titled(
    listed: Sequence[Mapping[str, str]], titles: tuple[tuple[str, str], ...]
) -> dict[str, Mapping[str, str]]:
    title = dict(titles)
    return {p["id"]: {"title": title.get(p["id"], ""), **p} for p in listed}
