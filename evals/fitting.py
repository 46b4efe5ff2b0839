"""Fits of what the search weighs by, to labelled questions, each judged on the corpora that were left out of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.logistic import logistic
from evals.ranking import auroc
from store.confidence import ANSWERABLE, Features

RANKING = ("hybrid", "meaning", "refined")
RIDGE = 0.03

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what the search saw of its candidates, one row each."""

    corpus: str
    answerable: bool
    features: dict[str, Array]
    article: NDArray[np.bool_]
    section: NDArray[np.bool_]


def fit_ranking(cases: Sequence[Case]) -> Features:
    """Fit weights so that passages of the right section get the most of a softmax over the candidates (ListNet, Cao et al. 2007)."""
    lists = [
        (np.stack([case.features[name] for name in RANKING], axis=1), case.section / case.section.sum())
        for case in cases
        if case.section.any()
    ]
    scale = np.concatenate([rows for rows, _ in lists]).std(axis=0)
    weights = np.zeros(len(RANKING))
    for _ in range(1_500):
        gradient = RIDGE * weights
        for rows, target in lists:
            scores = np.exp((scores := rows / scale @ weights) - scores.max())
            gradient = gradient + (rows / scale).T @ (scores / scores.sum() - target) / len(lists)
        weights = weights - 0.3 * gradient
    return dict(zip(RANKING, (weights / scale).tolist(), strict=True))


def fit_confidence(cases: Sequence[Case], names: Sequence[str], ranking: Features) -> Features:
    """Fit a logistic regression with a ridge on the best passage of each question.

    Questions with and without an answer weigh alike.
    """
    rows, answers = _best(cases, names, ranking), np.array([case.answerable for case in cases], float)
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    share = np.where(answers == 1, 0.5 / answers.sum(), 0.5 / (1 - answers).sum())
    weights = logistic((rows - mean) / scale, answers, RIDGE, share)
    slopes = weights[1:] / scale
    fitted = {"intercept": weights[0] - mean @ slopes} | dict(zip(names, slopes, strict=True))
    return {name: round(float(value), 3) for name, value in fitted.items()}


def judge_ranking(cases: Sequence[Case]) -> Features:
    """Return how often the right section and article come first, each corpus ranked by weights fitted on the others."""
    hybrid, fitted = [], []
    for kept, left in _left_out(cases):
        weights = fit_ranking(kept)
        for case in left:
            if case.answerable:
                hybrid.append(np.argmax(case.features["hybrid"]))
                fitted.append(np.argmax(_scores(case, weights)))
    asked = [case for _, left in _left_out(cases) for case in left if case.answerable]
    return {
        f"{name}.{kind}@1": round(
            float(np.mean([getattr(case, kind)[at] for case, at in zip(asked, first, strict=True)])), 4
        )
        for name, first in (("hybrid", hybrid), ("rerank", fitted))
        for kind in ("article", "section")
    }


def judge_confidence(cases: Sequence[Case], names: Sequence[str]) -> Features:
    """Return how well confidences tell questions with an answer from others, each corpus judged by the other ones."""
    sure: list[float] = []
    answers: list[bool] = []
    for kept, left in _left_out(cases):
        ranking = fit_ranking(kept)
        weights = fit_confidence(kept, names, ranking)
        rows = _best(left, names, ranking)
        sure += (rows @ np.array([weights[name] for name in names]) + weights["intercept"]).tolist()
        answers += [case.answerable for case in left]
    held = [value for value, answer in zip(sure, answers, strict=True) if answer]
    none = [value for value, answer in zip(sure, answers, strict=True) if not answer]
    threshold = math.log(ANSWERABLE / (1 - ANSWERABLE))
    return {
        "auroc": round(auroc(held, none), 3),
        "needless_escalation": round(float(np.mean(np.array(held) < threshold)), 3),
        "missed_unanswerable": round(float(np.mean(np.array(none) >= threshold)), 3),
    }


def _left_out(cases: Sequence[Case]) -> list[tuple[list[Case], list[Case]]]:
    names = dict.fromkeys(case.corpus for case in cases)
    return [
        ([case for case in cases if case.corpus != name], [case for case in cases if case.corpus == name])
        for name in names
    ]


def _best(cases: Sequence[Case], names: Sequence[str], ranking: Features) -> Array:
    places = [int(np.argmax(_scores(case, ranking))) for case in cases]
    return np.array(
        [[case.features[name][place] for name in names] for case, place in zip(cases, places, strict=True)]
    )


def _scores(case: Case, weights: Features) -> Array:
    scores: Array = np.sum([weights[name] * case.features[name] for name in RANKING], axis=0)
    return scores
