"""Intervals by hand."""

import pytest

from evals.intervals import average, bootstrap, metric, percentile, share, wilson


@pytest.mark.parametrize(
    ("n", "share", "rank"),
    [
        (4, 0.5, 2),
        (6, 0.5, 3),
        (7, 0.5, 4),
        (20, 0.95, 19),
        (100, 0.95, 95),
        (101, 0.95, 96),
        (100, 0.07, 7),
        (1, 0.95, 1),
    ],
)
def test_a_percentile_is_the_value_at_the_nearest_rank(n: int, share: float, rank: int) -> None:
    assert percentile(range(n, 0, -1), share) == rank


def test_a_rate_has_the_score_interval() -> None:
    # Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662.
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    low, high = wilson(1.0, 100)
    assert (low, round(high, 2)) == (0.963, 1.0)
    assert share([True, True, False, False]) == metric(0.5, 4, rate=True)


def test_a_mean_has_an_interval_that_narrows_with_n() -> None:
    few, many = average([0.0, 1.0] * 5), average([0.0, 1.0] * 500)
    assert few["value"] == many["value"] == 0.5
    assert few["low"] < many["low"] < 0.5 < many["high"] < few["high"]
    # The normal approximation of the mean of 1,000 fair coins: 0.5 ± 1.96 · 0.5 / √1000.
    assert many["low"] == pytest.approx(0.469, abs=0.004)
    assert bootstrap([3.0, 3.0]) == (3.0, 3.0)


def test_a_figure_that_is_no_sample_has_no_interval() -> None:
    assert metric(3.0, 1) == {"value": 3.0, "low": None, "high": None, "n": 1}
