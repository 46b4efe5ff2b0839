import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.fusion import LEXICAL_WEIGHT, fuse, scaled

LEG = st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1))


def test_the_legs_are_weighted_and_what_a_leg_lacks_gets_its_least() -> None:
    fused = fuse({"a": 0.5, "b": 0.2}, {"a": 0.6, "c": 0.4})
    weight = LEXICAL_WEIGHT
    assert fused["a"] == weight * 0.5 + (1 - weight) * 0.6
    assert fused["b"] == weight * 0.2 + (1 - weight) * 0.4
    assert fused["c"] == (1 - weight) * 0.4
    assert list(fused) == ["a", "b", "c"]


def test_stretched_scores_keep_their_order_between_nothing_and_one() -> None:
    assert scaled({"a": 0.9, "b": 0.85, "c": 0.8}) == {"a": 1.0, "b": pytest.approx(0.5), "c": 0.0}
    assert scaled({"a": 0.9}) == {"a": 1.0}
    assert scaled({}) == {}


@given(LEG, LEG)
def test_every_passage_of_either_leg_is_ranked_best_first(
    lexical: dict[str, float], dense: dict[str, float]
) -> None:
    fused = fuse(lexical, dense)
    assert set(fused) == lexical.keys() | dense.keys()
    assert all(0.0 <= score <= 1.0 for score in fused.values())
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
