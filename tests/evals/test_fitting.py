"""The fits of the search's weights, on cases made so that the answer is known."""

import numpy as np
import pytest

from evals.fitting import (
    RANKING,
    Case,
    fit_confidence,
    fit_ranking,
    judge_confidence,
    judge_ranking,
)


def case(corpus: str, answerable: bool, seed: int) -> Case:
    """Return a question over five passages: ``refined`` knows the right one, ``hybrid`` and ``meaning`` are noise."""
    draw = np.random.default_rng(seed)
    right = np.arange(5) == seed % 5
    features = {name: draw.normal(size=5) for name in (*RANKING, "cosine")}
    features["refined"] = draw.normal(size=5) * 0.2 + (right if answerable else 0.0)
    return Case(corpus, answerable, features, right & answerable, right & answerable)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case(f"corpus-{seed % 3}", seed % 4 != 0, seed) for seed in range(60)]


def test_the_weight_goes_to_what_tells_the_right_passage(cases: list[Case]) -> None:
    weights = fit_ranking(cases)
    assert weights["refined"] > 3 * max(abs(weights["hybrid"]), abs(weights["meaning"]))


def test_the_confidence_follows_what_tells_an_answer_and_weighs_both_kinds_alike(cases: list[Case]) -> None:
    weights = fit_confidence(cases, ("refined", "cosine"), fit_ranking(cases))
    assert weights["refined"] > 1
    assert abs(weights["cosine"]) < 1
    middle = weights["intercept"] + weights["refined"] * 0.6
    assert abs(middle) < 1.5  # between the passages of both kinds, though one is three times as frequent


def test_what_was_fitted_is_judged_on_the_corpora_that_were_left_out(cases: list[Case]) -> None:
    ranking = judge_ranking(cases)
    assert ranking["rerank.section@1"] > ranking["hybrid.section@1"] + 0.3
    judged = judge_confidence(cases, ("refined",))
    assert judged["auroc"] > 0.9
    assert judged["needless_escalation"] < 0.3
