"""Searching a collection: passages for a question, each with a score and a calibrated confidence."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from psycopg.errors import UndefinedTable

from store.arguments import check_type
from store.confidence import confidences, is_calibrated, passage_features
from store.embedding import LONGEST_TEXT
from store.errors import RetrievalError
from store.fusion import fuse, scaled
from store.knowledge import Collection, Knowledge, find_collection
from store.legs import Candidate, LexicalAnswer, Ranking, dense_leg, lexical_leg
from store.lexical import fold, terms
from store.reranking import Reranker
from store.rescoring import Looks, look_again, read_question, rescored
from store.storable import storable
from store.text import head
from store.twins import without_copies

Mode = Literal["bm25", "dense", "hybrid", "rerank"]
MODES: tuple[Mode, ...] = get_args(Mode)

DEPTH = 50
"""Candidates of each leg."""
RERANKED = 30
"""Candidates that are looked at once more: on 267 tuning questions more of them changed no figure."""
DEFAULT_MODE: Mode = "rerank"
"""It beats the other modes on every corpus that it was measured on (see `evals.retrieval`)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that answers a question, perhaps: ``confidence``, in 0..1, says how likely.

    ``score`` is the mode's own and comparable within one search only; confidences compare between questions.
    """

    id: str
    doc_id: str
    title: str
    section: str
    text: str
    score: float
    confidence: float


async def search(
    knowledge: Knowledge, query: str, *, collection: str, mode: Mode = DEFAULT_MODE, k: int = 5
) -> list[Passage]:
    """Return the best passages for a question, best first.

    Passages that repeat a better one are left out, and a deprecated or older version of an article stands
    below its newer one.

    Args:
        knowledge: the index.
        query: the question, standing alone; no more than its first `LONGEST_TEXT` letters are searched for.
        collection: what is searched.
        mode: ``bm25`` (terms), ``dense`` (meaning), ``hybrid`` (both) or ``rerank`` (hybrid, then the rerank
            endpoint if there is one, else the second stage).
        k: most passages.

    Raises:
        MalformedError: the query is no text, or k no whole number.
        RetrievalError: the collection or the mode is unknown, another model embedded the collection, or the
            embedding model or the rerank endpoint fails.
    """
    check_type("Query", query, str)
    check_type("k", k, int)
    if mode not in MODES:
        raise RetrievalError(f"Search mode {mode!r} is unknown. Choose one of: {', '.join(MODES)}.")
    question = head(storable(query).strip(), LONGEST_TEXT)
    if not question or k < 1:
        return []
    try:
        return await _search(knowledge, question, collection, mode, k)
    except UndefinedTable:  # the collection was replaced between looking it up and reading it
        return await _search(knowledge, question, collection, mode, k)


async def _search(knowledge: Knowledge, question: str, name: str, mode: Mode, k: int) -> list[Passage]:
    found = await find_collection(knowledge, name)
    asked = terms(question)
    lexical, dense, vector = await asyncio.gather(
        lexical_leg(knowledge, found, asked, DEPTH),
        dense_candidates(knowledge, found, question),
        read_question(knowledge, question if mode == "rerank" else ""),
    )
    ranking = ranked(asked, lexical, dense, found, mode)
    looks: Looks = {}
    if mode == "rerank":
        first = [candidate for candidate, _ in ranking[:RERANKED]]
        looks = await look_again(knowledge, found, question, vector, lexical, first)
        if knowledge.reranker:
            ranking = await _reranked(knowledge.reranker, question, ranking)
        else:
            ranking = rescored(ranking, looks)
    best = without_copies(ranking, k)
    seen = passage_features(asked, [candidate for candidate, _ in best], lexical, dense, found, looks)
    return [
        Passage(c.id, c.doc_id, c.title, c.section, c.text, score, confidence)
        for (c, score), confidence in zip(best, confidences(seen, found.embedder), strict=True)
    ]


async def dense_candidates(knowledge: Knowledge, collection: Collection, question: str) -> list[Candidate]:
    """Return the candidates of the dense leg.

    Raises:
        RetrievalError: another model embedded the collection, or the embedding model fails.
    """
    embedder = knowledge.embedder
    if embedder.name != collection.embedder:
        raise RetrievalError(
            f"Collection {collection.name!r} was embedded by {collection.embedder!r}, the settings name "
            f"{embedder.name!r}. Name that model again, or index anew with: "
            f"supportpilot ingest {collection.source!r} --collection {collection.name} --reindex"
        )
    return await dense_leg(knowledge, collection, await embedder.embed_query(fold(question)), DEPTH)


def ranked(
    question_terms: Sequence[str],
    lexical: LexicalAnswer,
    dense: Sequence[Candidate],
    collection: Collection,
    mode: Mode,
) -> Ranking:
    """Order the candidates of one leg, or of both."""
    legs = {"bm25": lexical.candidates, "dense": dense}
    if mode in legs:
        return [(candidate, candidate.score) for candidate in legs[mode]]
    by_id = {candidate.id: candidate for candidate in (*lexical.candidates, *dense)}
    cosines = {candidate.id: candidate.score for candidate in dense}
    fused = fuse(
        lexical.shares(question_terms, collection.chunks),
        cosines if is_calibrated(collection.embedder) else scaled(cosines),
    )
    return [(by_id[key], score) for key, score in fused.items()]


async def _reranked(reranker: Reranker, question: str, ranking: Ranking) -> Ranking:
    """Order the first candidates by the endpoint's relevance; the others stay behind them, in order."""
    first = [candidate for candidate, _ in ranking[:RERANKED]]
    scores = await reranker.relevance(question, [candidate.indexed for candidate in first])
    best = sorted(zip(first, scores, strict=True), key=lambda each: -each[1])
    least = min(scores, default=0.0)
    return [*best, *((candidate, least) for candidate, _ in ranking[RERANKED:])]
