import json

import ormsgpack
from hypothesis import given
from hypothesis import strategies as st

from store.storable import storable

_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
_VALUES = st.recursive(
    _TEXT | st.integers() | st.floats() | st.none(),
    lambda part: st.lists(part) | st.dictionaries(_TEXT, part),
    max_leaves=20,
)


@given(_VALUES)
def test_what_is_left_is_utf_8_without_nul_and_is_left_alone_the_second_time(value: object) -> None:
    left = storable(value)
    ormsgpack.packb(left)
    assert b"\0" not in json.dumps(left, ensure_ascii=False, allow_nan=False).encode()
    assert "\\u0000" not in json.dumps(left)
    assert storable(left) == left


def test_only_what_cannot_be_stored_goes() -> None:
    assert storable({"a\0": ("b\ud83d", [1, None, "\U0001f600\n"])}) == {
        "a": ("b", [1, None, "\U0001f600\n"])
    }


def test_a_number_that_json_does_not_know_is_none_and_one_of_many_digits_keeps_them_as_text() -> None:
    assert storable({"a": [float("nan"), float("-inf"), 0.5, 10**30, True]}) == {
        "a": [None, None, 0.5, str(10**30), True]
    }
