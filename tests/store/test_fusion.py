from hypothesis import given
from hypothesis import strategies as st

from store.fusion import convex_combination

LEGS = st.lists(st.dictionaries(st.sampled_from("abcdef"), st.floats(-10, 10)), min_size=1, max_size=3)


def test_each_leg_is_scaled_and_weighted() -> None:
    fused = convex_combination([{"a": 8.0, "b": 4.0, "c": 0.0}, {"c": 0.9, "b": 0.1}], (0.4, 0.6))
    assert fused == {"c": 0.6, "a": 0.4, "b": 0.2}
    assert list(fused) == ["c", "a", "b"]


def test_a_leg_that_found_nothing_changes_nothing() -> None:
    assert convex_combination([{"a": 3.0}, {}], (0.5, 0.5)) == {"a": 0.5}


@given(LEGS)
def test_scores_lie_between_nothing_and_the_weights(legs: list[dict[str, float]]) -> None:
    fused = convex_combination(legs, [1.0] * len(legs))
    assert set(fused) == {key for leg in legs for key in leg}
    assert all(0.0 <= score <= len(legs) for score in fused.values())
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
