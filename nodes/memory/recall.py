"""Which memories come back for a question: words and meaning together, and nothing when nothing stands out."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files

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
OF_ONESELF = 0.1
"""What a question gains that speaks of the user, where it is asked whether anything is to be recalled at all."""
OF_BUSINESS = 0.1
"""What one gains that names a thing of a business, or something that is known of users."""
WORDS_OF_BEST = 0.2
"""Weight of the shared words where it is asked whether anything is to be recalled at all."""
REFINED = 3.0
"""Weight of what the slower model's cosine has above its mean; its cosines lie close together."""
MARGIN = -0.125
"""How near a memory has to be, compared with the nearest everyday topic; set on the development half."""
MARGIN_REFINED = 0.0
"""The same where the slower model has seen the memories."""
NEAR_BEST = 0.35
"""How far below the best one a further memory may lie."""
FAMILIAR = 0.02
"""Most that the user's frequent topics add to a memory's score."""
_PRIOR = 40
_SELF = re.compile(r"我|上次|那次|之前|那回|那笔|来着|\b(?:we|our|us|my|i)\b", re.IGNORECASE)
_everyday: dict[str, NDArray[np.float64]] = {}


def rank(
    question: str,
    texts: Sequence[str],
    cosines: Sequence[float],
    everyday: float,
    *,
    refined: Sequence[float] = (),
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
        most: most memories.
        counts: how often the user asked about each topic; decides between memories of one score.
    """
    if not texts or means(question, "smalltalk"):
        return []
    shared = _shared(question, texts)
    second = REFINED * (np.asarray(refined) - np.mean(refined)) if len(refined) else np.zeros(len(texts))
    scores = np.asarray(cosines) + WORDS * shared + second + _familiar(texts, counts or {})
    order = np.argsort(-scores, kind="stable")[:most]
    first, best = order[0], float(scores[order[0]])
    evidence = max(cosines) + WORDS_OF_BEST * shared[first] + second.max() + _concern(question)
    if evidence - everyday < (MARGIN_REFINED if len(refined) else MARGIN):
        return []
    return [(int(n), float(scores[n])) for n in order if scores[n] >= best - NEAR_BEST]


async def nearness_to_everyday(embedder: Embedder, vector: Vector) -> float:
    """Return the cosine of a question with the nearest everyday topic; the topics are embedded once."""
    if embedder.name not in _everyday:
        _everyday[embedder.name] = np.asarray(await embedder.embed_documents(_topics()))
    return float((_everyday[embedder.name] @ np.asarray(vector)).max())


@cache
def _topics() -> list[str]:
    return (files("nodes.lexicon") / "chatter.txt").read_text("utf-8").splitlines()


def asks_of_before(question: str) -> bool:
    """Tell whether a question is about what was before and no longer is."""
    return says("before", question)


def _concern(question: str) -> float:
    """Return how much a question sounds as if it were about the user and their business."""
    business = bool(topics(question) or named(question))
    return OF_ONESELF * bool(_SELF.search(question)) + OF_BUSINESS * business


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
