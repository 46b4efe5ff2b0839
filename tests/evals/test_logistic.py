import numpy as np
import pytest

from evals.logistic import logistic


def test_weights_follow_what_tells_the_cases_apart_and_a_ridge_shrinks_them() -> None:
    chance = np.random.default_rng(1)
    x = chance.normal(size=(400, 2))
    y = (x[:, 0] + 0.5 * chance.normal(size=400) > 0.3).astype(float)
    bias, tells, says_nothing = logistic(x, y, ridge=1.0)
    assert tells > 10 * abs(says_nothing)
    assert abs(logistic(x, y, ridge=100.0)[1]) < tells
    expected = 1 / (1 + np.exp(-(bias + x @ [tells, says_nothing])))
    assert expected.mean() == pytest.approx(y.mean()), "the bias is not shrunk"


def test_a_share_counts_a_case_as_often() -> None:
    x, y = np.array([[-1.0], [0.2], [1.0], [-0.3]]), np.array([0.0, 0.0, 1.0, 1.0])
    twice = logistic(np.repeat(x, 2, axis=0), np.repeat(y, 2), ridge=1.0)
    assert logistic(x, y, 1.0, np.full(4, 2.0)) == pytest.approx(twice)
