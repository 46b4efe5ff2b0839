"""Which memories come back for a question: words and meaning together, and nothing when nothing stands out."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nodes.intents import means
from nodes.memory.cues import says
from nodes.memory.named import named
from nodes.memory.wording import tokens, topics
from nodes.words import features
from store.embedding import Embedder, Vector

MOST = 5
WORDS = 0.3
"""Weight of the shared words beside the cosine."""
REFINED = 3.0
"""Weight of what the slower model's cosine has above its mean; its cosines lie close together."""
NEAR_BEST = 0.35
"""How far below the best one a further memory may lie."""
FAMILIAR = 0.02
"""Most that the user's frequent topics add to a memory's score."""

# Whether anything is to be recalled at all; by the half `dev` of the labelled questions (`evals.recall_fit`).
OF_ONESELF = 0.1
"""What a question gains that speaks of the user."""
OF_BUSINESS, OF_BUSINESS_REFINED = 0.1, 0.28
"""What one gains that names a thing of a business, or something that is known of users."""
WORDS_OF_BEST = 0.2
"""Weight of the words that the best memory shares, where the slower model has not seen the memories."""
EVERYDAY_REFINED = 0.75
"""Weight of the nearest everyday topic, where it has; there its own cosines count as well:"""
NEAREST_BY_REFINED, EVERYDAY_BY_REFINED = 2.52, 3.32
MARGIN, MARGIN_REFINED = -0.125, -0.79
"""How near a memory has to be, compared with the nearest everyday topic; of no meaning by itself."""
_PRIOR = 40
_SELF = re.compile(r"我|上次|那次|之前|那回|那笔|来着|\b(?:we|our|us|my|i)\b", re.IGNORECASE)
_LEXICON = Path(__file__).parent.parent / "lexicon"
_everyday: dict[str, NDArray[np.float64]] = {}


def rank(
    question: str,
    texts: Sequence[str],
    cosines: Sequence[float],
    everyday: float,
    *,
    refined: Sequence[float] = (),
    everyday_refined: float = 0.0,
    most: int = MOST,
    counts: Mapping[str, int] | None = None,
) -> list[tuple[int, float]]:
    """Return the places of the memories that a question is about, best first, with their scores.

    No cosine alone separates a message that is about something else. So the best memory has to be nearer
    to the message than the everyday topics are that no help desk is about (`nearness_to_everyday`).

    Args:
        question: the standalone question.
        texts: the memories.
        cosines: of each memory with the question, in [-1, 1].
        everyday: cosine of the question with the nearest everyday topic.
        refined: cosines of the same by the slower model, if it has embedded all of them.
        everyday_refined: cosine of the question with the nearest everyday topic by it.
        most: most memories.
        counts: how often the user asked about each topic; decides between memories of one score.
    """
    if not texts or means(question, "smalltalk"):
        return []
    shared = _shared(question, texts)
    second = REFINED * (np.asarray(refined) - np.mean(refined)) if len(refined) else np.zeros(len(texts))
    scores = np.asarray(cosines) + WORDS * shared + second + _familiar(texts, counts or {})
    order = np.argsort(-scores, kind="stable")[:most]
    best = float(scores[order[0]])
    if len(refined):
        margin = refined_margin(max(cosines), max(refined), everyday, everyday_refined, *concern(question))
    else:
        of_oneself, of_business = concern(question)
        near = max(cosines) + WORDS_OF_BEST * shared[order[0]]
        margin = near + OF_ONESELF * of_oneself + OF_BUSINESS * of_business - everyday - MARGIN
    if margin < 0:
        return []
    return [(int(n), float(scores[n])) for n in order if scores[n] >= best - NEAR_BEST]


async def nearness_to_everyday(embedder: Embedder, vector: Vector) -> float:
    """Return the cosine of a question with the nearest everyday topic.

    A slow model's vectors of the topics lie beside them (`evals.recall_fit`); others are made once.
    """
    if embedder.name not in _everyday:
        stored = await asyncio.to_thread(_stored, embedder.name)
        _everyday[embedder.name] = (
            np.asarray(await embedder.embed_documents(everyday_topics())) if stored is None else stored
        )
    return float((_everyday[embedder.name] @ np.asarray(vector)).max())


def everyday_file(model: str) -> Path:
    """Return where a model's vectors of the everyday topics lie, if it is a slow one: half floats, a row a topic."""
    return _LEXICON / f"chatter.{model}.npy"


def _stored(model: str) -> NDArray[np.float64] | None:
    stored = everyday_file(model)
    return np.load(stored).astype(np.float64) if stored.exists() else None


@cache
def everyday_topics() -> list[str]:
    """Return topics that no help desk is about."""
    return (_LEXICON / "chatter.txt").read_text("utf-8").splitlines()


def asks_of_before(question: str) -> bool:
    """Tell whether a question is about what was before and no longer is."""
    return says("before", question)


def refined_margin(
    near: float,
    by_refiner: float,
    everyday: float,
    everyday_by_refiner: float,
    of_oneself: float,
    of_business: float,
) -> float:
    """Return by how much a question is nearer to a user's memories than to everyday topics; below 0 nothing is recalled.

    Args:
        near: cosine with the nearest memory.
        by_refiner: the same by the slower model.
        everyday: cosine with the nearest everyday topic.
        everyday_by_refiner: the same by the slower model.
        of_oneself: 1 where the question speaks of the user.
        of_business: 1 where it names a thing of a business, or something that is known of users.
    """
    memories = near + NEAREST_BY_REFINED * by_refiner
    topics_of_all = EVERYDAY_REFINED * everyday + EVERYDAY_BY_REFINED * everyday_by_refiner
    return (
        memories
        - topics_of_all
        + OF_ONESELF * of_oneself
        + OF_BUSINESS_REFINED * of_business
        - MARGIN_REFINED
    )


def concern(question: str) -> tuple[float, float]:
    """Return whether a question speaks of the user, and whether of business, 1 or 0."""
    return float(bool(_SELF.search(question))), float(bool(topics(question) or named(question)))


def _familiar(texts: Sequence[str], counts: Mapping[str, int]) -> NDArray[np.float64]:
    """Return the share of the user's questions that a memory's most frequent topic has, times a small weight."""
    total = sum(counts.values()) or 1
    shares = [max((counts.get(topic, 0) for topic in topics(text)), default=0) / total for text in texts]
    return FAMILIAR * np.array(shares)


def _shared(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return how much of the question's information each memory shares, in [0, 1]."""
    asked = _terms(question)
    held = [_terms(text) for text in texts]
    frequency = Counter(term for terms in held for term in terms & asked)
    total = len(texts) + _PRIOR
    weight = {term: math.log(1 + total / (1 + frequency[term])) for term in asked}
    whole = sum(weight.values()) or 1.0
    return np.array([sum(weight[term] for term in asked & terms) / whole for terms in held])


@lru_cache(maxsize=4096)
def _terms(text: str) -> frozenset[str]:
    return features(text) | frozenset(token for token in tokens(text) if len(token) > 1)
