"""How likely a passage answers a question: a logistic regression on what the two legs saw.

Its parameters are data, fitted on labelled questions for one embedder (``calibration/confidence.json``); the entry
``*`` serves the embedders for which nobody fitted any, and looks at terms only. The fit weighs questions with and
without an answer alike, so that a confidence of one half is where answering a question that has no answer and
declining one that has cost the same.
"""

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources

from store.index import Candidate, LexicalAnswer
from store.knowledge import Collection
from store.lexical import terms
from store.text import is_chinese

Features = dict[str, float]

ANSWERABLE = 0.5
"""Confidence from which a passage counts as an answer: both mistakes cost the same."""


def confidences(
    question_terms: Sequence[str],
    candidates: Sequence[Candidate],
    lexical: LexicalAnswer,
    dense: Sequence[Candidate],
    collection: Collection,
) -> list[float]:
    """Return for each candidate the probability, in 0..1, that it answers the question.

    Args:
        question_terms: the question's terms.
        candidates: the passages.
        lexical: what the lexical leg found.
        dense: what the dense leg found.
        collection: what was searched.
    """
    weights = _parameters().get(collection.embedder) or _parameters()["*"]
    return [
        _logistic(weights, features)
        for features in passage_features(question_terms, candidates, lexical, dense, collection)
    ]


def passage_features(
    question_terms: Sequence[str],
    candidates: Sequence[Candidate],
    lexical: LexicalAnswer,
    dense: Sequence[Candidate],
    collection: Collection,
) -> list[Features]:
    """Return for each candidate what the regression looks at.

    ``cosine`` is that of passage and question (the lowest one seen for a passage outside the dense leg),
    ``margin`` its lead over the mean of the dense leg, ``coverage`` the share of the question's terms that the
    passage holds, ``known`` the share that any passage holds, each term weighted by its inverse document
    frequency; ``foreign`` is 1 when question and passage are in different languages, so share no terms.
    """
    cosines = {candidate.id: candidate.score for candidate in dense}
    lowest = min(cosines.values(), default=0.0)
    mean = sum(cosines.values()) / max(len(cosines), 1)
    frequency = lexical.document_frequency
    weights = {
        term: math.log1p((collection.chunks - frequency.get(term, 0) + 0.5) / (frequency.get(term, 0) + 0.5))
        for term in set(question_terms)
    }
    total = sum(weights.values()) or 1.0
    known = sum(weight for term, weight in weights.items() if frequency.get(term, 0)) / total
    chinese = is_chinese(" ".join(question_terms))
    found = []
    for candidate in candidates:
        cosine = cosines.get(candidate.id, lowest)
        covered = sum(weights[term] for term in weights.keys() & set(terms(candidate.indexed)))
        found.append(
            {
                "cosine": cosine,
                "margin": cosine - mean,
                "coverage": covered / total,
                "known": known,
                "foreign": float(is_chinese(candidate.indexed) != chinese),
            }
        )
    return found


def _logistic(weights: Features, features: Features) -> float:
    logit = weights["intercept"] + sum(
        weight * features[name] for name, weight in weights.items() if name != "intercept"
    )
    return 1.0 / (1.0 + math.exp(-logit))


@lru_cache(maxsize=1)
def _parameters() -> dict[str, Features]:
    data: dict[str, Features] = json.loads(
        (resources.files("store") / "calibration" / "confidence.json").read_text()
    )
    return data
