import json
from pathlib import Path
from typing import Any

import pytest

from evals.jsonl import DataError, check, rows

FORM = {"id": str, "right": bool, "kind?": ("one", "two"), "turns?": [{"said": str}]}


def test_rows_of_a_split_are_read_with_those_that_name_none(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    data.write_text('{"id": "1", "split": "dev"}\n\n{"id": "2", "split": "test"}\n{"id": "3"}\n', "utf-8")
    assert [row["id"] for row in rows(data)] == ["1", "2", "3"]
    assert [row["id"] for row in rows(data, "test")] == ["2", "3"]


@pytest.mark.parametrize("line", ['{"id": ', "[1, 2]", "null"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    data = tmp_path / "d.jsonl"
    data.write_text(f'{{"id": "1"}}\n{line}\n', "utf-8")
    with pytest.raises(DataError, match=r"d\.jsonl, line 2"):
        rows(data)


def test_a_mark_at_the_beginning_and_line_separators_within_a_text_are_read(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    said = {"id": "a\u2028b\x85c"}
    data.write_text("\ufeff" + json.dumps(said, ensure_ascii=False) + "\r\n", "utf-8")
    assert rows(data) == [said]


@pytest.mark.parametrize("content", [b"", b"\n \n", b'{"split": "dev"}'])
def test_data_without_anything_to_ask_are_refused(tmp_path: Path, content: bytes) -> None:
    data = tmp_path / "d.jsonl"
    data.write_bytes(content)
    with pytest.raises(DataError, match="nothing to ask"):
        rows(data, "test")


def test_data_in_another_encoding_or_that_are_not_there_are_named(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    with pytest.raises(DataError, match=r"d\.jsonl cannot be read"):
        rows(data)
    data.write_bytes('{"id": "退款"}'.encode("gb18030"))
    with pytest.raises(DataError, match=r"d\.jsonl cannot be read as JSON Lines in UTF-8"):
        rows(data)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "1"}, "d, line 2: 'right' is missing."),
        ({"id": 1, "right": True}, "d, line 2, 'id' must be text, not 1."),
        ({"id": "1", "right": "yes"}, "d, line 2, 'right' must be true or false, not 'yes'."),
        ({"id": "1", "right": None}, "d, line 2, 'right' must be true or false, not None."),
        ({"id": "1", "right": True, "kind": "three"}, "d, line 2, 'kind' must be one of one, two, not 'three'."),
        ({"id": "1", "right": True, "turns": "no"}, "d, line 2, 'turns' must be a list, not 'no'."),
        ({"id": "1", "right": True, "turns": [{"said": "a"}, {}]}, "d, line 2, 'turns' 2: 'said' is missing."),
        ({"id": "1", "right": True, "turns": ["a"]}, "d, line 2, 'turns' 1 must be an object, not 'a'."),
    ],
)  # fmt: skip
def test_a_row_of_another_form_is_named_with_what_is_wrong(row: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as refused:
        check(row, FORM, "d, line 2")
    assert str(refused.value) == said


def test_what_may_be_missing_may_be_null() -> None:
    check({"id": "1", "right": False, "kind": None, "turns": [], "more": 1}, FORM, "d")
