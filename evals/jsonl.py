"""Data sets in JSON Lines."""

import json
from pathlib import Path
from typing import Any


class DataError(ValueError):
    """A data set cannot be used as it is; the message names the place and what is wrong there."""


def rows(path: Path, split: str = "") -> list[dict[str, Any]]:
    """Read a data set.

    Args:
        path: JSON Lines, UTF-8.
        split: of the rows to keep; rows that name none belong to every split. Empty: all rows.

    Raises:
        DataError: a line is no JSON object; the message names file and line.
    """
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: {error}. Each line must be one JSON object.") from error
        if not isinstance(row, dict):
            raise DataError(f"{path}, line {number}: {line[:40]!r} is not a JSON object.")
        if not split or row.get("split", split) == split:
            found.append(row)
    return found
