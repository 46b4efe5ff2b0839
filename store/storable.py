"""What a database and a checkpoint take: no NUL and lone surrogates, which UTF-8 does not know, and numbers of 64 bits."""

import math
import re
from typing import Any, TypeVar, cast

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")

Value = TypeVar("Value")


def storable(value: Value) -> Value:
    """Return a value with NUL and lone surrogates removed from every text in it, keys included.

    A number that is none, or infinite, becomes ``None``, and a whole one of more than 64 bits a text with its digits: Python
    reads both where they stand in JSON, and neither Postgres' JSON nor msgpack takes all of them.

    Args:
        value: a text or a number, or lists, tuples and dictionaries of them; anything else is left as it is.

    Raises:
        RecursionError: it is nested deeper than Python recurses.
    """
    return cast("Value", _clean(value))


def _clean(value: Any) -> Any:
    match value:
        case str():
            return _UNSTORABLE.sub("", value)
        case int() | float():
            return _number(value)
        case dict():
            return {_clean(key): _clean(part) for key, part in value.items()}
        case list():
            return [_clean(part) for part in value]
        case tuple() if type(value) is tuple:
            return tuple(map(_clean, value))
        case _:
            return value


def _number(value: float) -> float | str | None:
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    return value if math.isfinite(value) else None
