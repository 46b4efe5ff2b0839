"""Looking up what a message asks: one list of passages, whatever it takes to find them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from nodes.parts import parts_in_context
from nodes.rewrite import rewrite, turns
from nodes.standalone import with_topic
from nodes.state import Usage
from store.confidence import CERTAIN, HOPEFUL
from store.knowledge import Knowledge
from store.search import Passage, search

PASSAGES = 5
"""Passages that are looked up for a question: with five the right article is among them for 95 % of 267 tuning ones."""

SEVERAL = 2
"""How many times the passages of one question a message of several has.

Each of two then has as many as if it were asked apart: both right sections are among them for 94 % of 32 tuning
messages, among five in all for 81 %.
"""

WHOLE_SHARE = 0.5
"""What the whole message counts beside one of its questions: flat from 0.25 to 0.75 on 32 tuning messages."""
_RRF = 30
"""The constant of reciprocal rank fusion; 10 does the same, 2 is worse."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was looked up.

    Attributes:
        question: the standalone question that was searched for.
        reason: why it is as it is, for the record of the turn.
        passages: best first; those of several questions take turns.
        usage: tokens of the model call that rewrote the question, if there was one.
    """

    question: str
    reason: str
    passages: list[Passage]
    usage: Usage

    @property
    def confidence(self) -> float:
        """Return the confidence of the surest passage, in 0..1; 0 when nothing was found."""
        return max((passage.confidence for passage in self.passages), default=0.0)


async def look_up(
    knowledge: Knowledge,
    message: str,
    history: Sequence[BaseMessage],
    model: BaseChatModel,
    *,
    collection: str,
    k: int = PASSAGES,
) -> Found:
    """Search for what a message asks.

    A follow-up is made to stand alone first. One that seemed to stand alone, and for which something is found but
    nothing sure, is searched for with the topic of the conversation too, and the surer result is taken. Where
    nothing is found the topic would answer in place of the question.

    Args:
        knowledge: the index.
        message: the newest user message.
        history: what was said before it, oldest first.
        model: the model of internal calls.
        collection: what is searched.
        k: most passages of a question.

    Raises:
        ModelError: the model fails.
        RetrievalError: the collection is not there, or the index or a model of the search fails.
    """
    rewritten = await rewrite(message, history, model)
    found = Found(
        rewritten.text,
        rewritten.reason,
        await search_parts(knowledge, rewritten.text, collection=collection, k=k),
        rewritten.usage,
    )
    if rewritten.changed or not history or not HOPEFUL <= found.confidence < CERTAIN:
        return found
    completed = with_topic(message, turns(history))
    other = Found(
        completed,
        "with the topic of the conversation",
        await search_parts(knowledge, completed, collection=collection, k=k),
        rewritten.usage,
    )
    return max(found, other, key=lambda each: each.confidence)


async def search_parts(knowledge: Knowledge, question: str, *, collection: str, k: int) -> list[Passage]:
    """Search for each question of a standalone message, and return the best passages of each in turn.

    A part of a message leaves out what its neighbour says; so what the whole message finds counts for each part too.

    Args:
        knowledge: the index.
        question: one question or several.
        collection: what is searched.
        k: most passages of one question; several have `SEVERAL` times as many in all.

    Raises:
        RetrievalError: the collection is not there, or the index or a model of the search fails.
    """
    parts = parts_in_context(question)
    if len(parts) == 1:
        return await search(knowledge, question, collection=collection, k=k)
    rankings = await search_each(knowledge, question, parts, collection=collection, k=2 * k)
    found: dict[str, Passage] = {}
    for passage in chain.from_iterable(zip_longest(*rankings)):
        if passage is not None:
            found.setdefault(passage.id, passage)
    return list(found.values())[: SEVERAL * k]


async def search_each(
    knowledge: Knowledge, message: str, parts: Sequence[str], *, collection: str, k: int
) -> list[list[Passage]]:
    """Search for each question of a message, with what the whole message finds counted in.

    Args:
        knowledge: the index.
        message: the whole message.
        parts: its questions, each so that it stands alone.
        collection: what is searched.
        k: most passages of a search.

    Returns:
        The passages of each part, best first.

    Raises:
        RetrievalError: the collection is not there, or the index or a model of the search fails.
    """
    whole, *rankings = await asyncio.gather(
        *(search(knowledge, each, collection=collection, k=k) for each in (message, *parts))
    )
    return [in_context(ranking, whole) for ranking in rankings]


def in_context(part: Sequence[Passage], whole: Sequence[Passage]) -> list[Passage]:
    """Fuse what a part of a message finds with what the whole message finds (RRF, Cormack et al. 2009).

    Args:
        part: passages, best first.
        whole: likewise; each counts `WHOLE_SHARE` of one of the part.
    """
    scores: dict[str, float] = {}
    for ranking, share in ((whole, WHOLE_SHARE), (part, 1.0)):
        for rank, passage in enumerate(ranking, 1):
            scores[passage.id] = scores.get(passage.id, 0.0) + share / (_RRF + rank)
    passages = {passage.id: passage for passage in (*whole, *part)}
    return [passages[key] for key in sorted(scores, key=lambda key: -scores[key])]
