"""Data sets in JSON Lines, and the form that each line must have."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from store.errors import SupportPilotError

Form = Mapping[str, Any]
"""Field → what its value must be: a type, a tuple of the texts that it may be, a list with the form of its elements, or
a form again. A field that ends with ``?`` may be missing or null."""
_KINDS: Mapping[Any, str] = {
    str: "text", bool: "true or false", int: "a whole number", dict: "an object", list: "a list",
    str | list: "text or a list",
}  # fmt: skip


class DataError(SupportPilotError):
    """A data set cannot be used as it is; the message names the place and what is wrong there."""


def rows(path: Path, split: str = "", form: Form | None = None) -> list[dict[str, Any]]:
    """Read a data set.

    Args:
        path: JSON Lines, UTF-8.
        split: of the rows to keep; rows that name none belong to every split. Empty: all rows.
        form: of each row.

    Raises:
        DataError: the file cannot be read, a line has another form, or nothing is left to be asked.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as JSON Lines in UTF-8: {error}.") from error
    found = []
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines() would cut at a U+2028 in a text
        if line.strip():
            row = _parsed(line, f"{path}, line {number}")
            check(row, form or {}, f"{path}, line {number}")
            found += [row] if not split or row.get("split", split) == split else []
    if not found:
        raise DataError(f"{path} holds no line{f' of the split {split!r}' if split else ''}: nothing to ask.")
    return found


def check(value: Any, kind: Any, place: str) -> None:
    """Refuse a value of another form.

    Raises:
        DataError: something in it is missing or of another kind; the message names where.
    """
    match kind:
        case Mapping():
            _expect(isinstance(value, dict), dict, value, place)
            for name, each in kind.items():
                field = name.removesuffix("?")
                if field == name and field not in value:
                    raise DataError(f"{place}: {field!r} is missing.")
                if field == name or value.get(field) is not None:
                    check(value[field], each, f"{place}, {field!r}")
        case tuple():
            _expect(value in kind, kind, value, place)
        case [each]:
            _expect(isinstance(value, list), list, value, place)
            for number, one in enumerate(value, start=1):
                check(one, each, f"{place} {number}")
        case _:
            _expect(isinstance(value, kind), kind, value, place)


def _expect(right: bool, kind: Any, value: Any, place: str) -> None:
    if not right:
        wanted = f"one of {', '.join(kind)}" if isinstance(kind, tuple) else _KINDS[kind]
        raise DataError(f"{place} must be {wanted}, not {value!r:.60}.")


def _parsed(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{place}: {error.msg} at character {error.colno}. Each line must be one JSON object."
        ) from error
