"""How likely a passage answers a question: a logistic regression on what the search saw of it.

Its parameters are data, fitted on labelled questions for one embedder by `evals.calibration`
(``calibration/confidence.json``); the entry ``*`` serves the embedders for which nobody fitted any, and does not look
at their cosines. Each entry lists regressions, the one that looks at most first: a passage is judged by the first
of which all features were seen. The fit weighs questions with and without an answer alike.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

from store.knowledge import Collection
from store.legs import Candidate, LexicalAnswer
from store.lexical import terms
from store.text import is_chinese

Features = dict[str, float]

ANSWERABLE = 0.4
"""Confidence from which one retrieval is enough to answer from; below it the agent looks once more.

This bar, the other two and that of words in common (`nodes.offline.scoring.covered`) were fitted at once, on 428
tuning questions, each help centre judged by a fit on the other two. What it costs: an answer from an unrelated
article 1, a question with an answer that is declined 1/2, for a person answers it later, a second look 1/10; three of
four questions have an answer. Of those 16 % are looked at twice and 4.5 % declined; of near misses 41 % are declined.
With all below 0.65 looked at twice it would be 35 %, for the same 4.5 and 41 %.
"""

CERTAIN = 0.65
"""Confidence from which passages are answered from without asking whether they speak of what the question names."""

HOPEFUL = 0.15
"""Confidence below which no answer is given when a second search found nothing better either."""


def confidences(seen: Sequence[Features], embedder: str) -> list[float]:
    """Return for each passage the probability, in 0..1, that it answers the question.

    Args:
        seen: the passages' features, from `passage_features`.
        embedder: name of the model that embedded the collection.
    """
    regressions = _parameters().get(embedder) or _parameters()["*"]
    return [_logistic(_first_seen(regressions, features), features) for features in seen]


def is_calibrated(embedder: str) -> bool:
    """Say whether parameters were fitted for the embedder, by name."""
    return embedder in _parameters()


def passage_features(
    question_terms: Sequence[str],
    candidates: Sequence[Candidate],
    lexical: LexicalAnswer,
    dense: Sequence[Candidate],
    collection: Collection,
    looks: Mapping[str, Features],
) -> list[Features]:
    """Return for each candidate what the regression looks at.

    ``cosine`` is that of passage and question (the lowest one seen for a passage outside the dense leg),
    ``coverage`` the share of the question's words that the passage holds, each weighted by its inverse document
    frequency; ``foreign`` is 1 when question and passage are in different languages, so share no words. Where the
    second stage looked at the passage: ``meaning`` and, if it is known, ``refined`` (see `store.rescoring`).

    Args:
        question_terms: the question's terms.
        candidates: the passages.
        lexical: what the lexical leg found.
        dense: what the dense leg found.
        collection: what was searched.
        looks: what the second stage saw of the passages, by id.
    """
    cosines = {candidate.id: candidate.score for candidate in dense}
    lowest = min(cosines.values(), default=0.0)
    weights = lexical.weights(_words(question_terms), collection.chunks)
    total = sum(weights.values()) or 1.0
    chinese = is_chinese(" ".join(question_terms))
    found = []
    for candidate in candidates:
        covered = sum(weights[term] for term in weights.keys() & set(terms(candidate.indexed)))
        found.append(
            {
                "cosine": cosines.get(candidate.id, lowest),
                "coverage": covered / total,
                "foreign": float(is_chinese(candidate.indexed) != chinese),
                **looks.get(candidate.id, {}),
            }
        )
    return found


def _words(question_terms: Sequence[str]) -> set[str]:
    """Return the terms without the single characters that stand beside Chinese words; alone they are words."""
    return {term for term in question_terms if len(term) > 1 or term.isascii()} or set(question_terms)


def _first_seen(regressions: Sequence[Features], features: Features) -> Features:
    return next(each for each in regressions if each.keys() - {"intercept"} <= features.keys())


def _logistic(weights: Features, features: Features) -> float:
    logit = weights["intercept"] + sum(
        weight * features[name] for name, weight in weights.items() if name != "intercept"
    )
    return 1.0 / (1.0 + math.exp(-logit))


@lru_cache(maxsize=1)
def _parameters() -> dict[str, list[Features]]:
    data: dict[str, list[Features]] = json.loads(
        (resources.files("store") / "calibration" / "confidence.json").read_text()
    )
    return data
