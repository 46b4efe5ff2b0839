from pathlib import Path

import pytest

from evals.jsonl import rows


def test_rows_of_a_split_are_read_with_those_that_name_none(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    data.write_text('{"id": "1", "split": "dev"}\n\n{"id": "2", "split": "test"}\n{"id": "3"}\n', "utf-8")
    assert [row["id"] for row in rows(data)] == ["1", "2", "3"]
    assert [row["id"] for row in rows(data, "test")] == ["2", "3"]


@pytest.mark.parametrize("line", ['{"id": ', "[1, 2]"])
def test_a_line_that_is_no_object_is_named(tmp_path: Path, line: str) -> None:
    data = tmp_path / "d.jsonl"
    data.write_text(f'{{"id": "1"}}\n{line}\n', "utf-8")
    with pytest.raises(ValueError, match=r"d\.jsonl, line 2"):
        rows(data)
