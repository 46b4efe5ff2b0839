from typing import Any

import pytest

from nodes.window.budget import Budget, BudgetError, describe


def test_the_reserve_is_taken_off_first() -> None:
    assert Budget(window=20_000, reserve=2_000, high=12_000, low=4_000).limit == 18_000


@pytest.mark.parametrize(("growth", "steps"), [(2_800, 67), (900, 208)])
def test_capacity_is_the_room_divided_by_the_growth_of_a_step(growth: int, steps: int) -> None:
    budget = Budget(window=200_000, reserve=8_000)
    assert budget.capacity(fixed=4_000, growth=growth) == steps


def test_capacity_takes_another_usable_share() -> None:
    assert Budget(window=100_000, high=9_000, low=3_000).capacity(fixed=0, growth=1_000, usable=0.5) == 50


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"reserve": 128_000}, "reserve=128000"),
        ({"high": 120_001}, "high=120001"),
        ({"low": 12_000}, "low=12000"),
        ({"cache_price": 1.5}, "cache_price=1.5"),
        ({"notes_chars": -1}, "notes_chars=-1"),
    ],
)
def test_contradictions_are_named(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(BudgetError, match=named):
        Budget(**changes)


def test_marks_that_are_not_given_follow_from_the_window() -> None:
    assert (Budget().high, Budget().low) == (32_000, 5_000)
    small = Budget(window=9_000, reserve=1_000)
    assert (small.high, small.low) == (6_000, 937)
    assert Budget(high=9_600).low == 1_500


def test_one_step_smaller_is_smaller_in_every_mark() -> None:
    smaller = Budget().smaller()
    assert (smaller.limit, smaller.high, smaller.low) == (90_000, 24_000, 5_000)


def test_every_field_says_what_it_means_and_why() -> None:
    assert all(meaning and reason for _, _, meaning, reason in describe(Budget()))
