"""What Postgres takes: any value without NUL and lone surrogates, which no UTF-8 database holds."""

import re
from typing import Any, TypeVar, cast

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")

Value = TypeVar("Value")


def storable(value: Value) -> Value:
    """Return a value with NUL and lone surrogates removed from every text in it, keys included.

    Args:
        value: a text, or lists, tuples and dictionaries of texts; anything else is left as it is.

    Raises:
        RecursionError: it is nested deeper than Python recurses.
    """
    return cast("Value", _clean(value))


def _clean(value: Any) -> Any:
    match value:
        case str():
            return _UNSTORABLE.sub("", value)
        case dict():
            return {_clean(key): _clean(part) for key, part in value.items()}
        case list():
            return [_clean(part) for part in value]
        case tuple() if type(value) is tuple:
            return tuple(map(_clean, value))
        case _:
            return value
