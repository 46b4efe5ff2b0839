"""What callers give, checked where it comes in: a wrong value is named there, not found out by the database."""

from pydantic import ValidationError

from store.errors import MalformedError


def check_type(what: str, value: object, kind: type) -> None:
    """Check the type of an argument.

    Args:
        what: what it is, for the message.
        value: as somebody gave it.
        kind: what it has to be; a bool is no int.

    Raises:
        MalformedError: it is something else.
    """
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise MalformedError(
            f"{what} {value!r:.200} is of type {type(value).__name__}. Give type {kind.__name__}."
        )


def wrong_parts(error: ValidationError) -> str:
    """Say what is wrong with a value that pydantic refused: the first parts of it, each with its place."""
    return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3])


def check_name(what: str, name: object) -> None:
    """Check that a name can be stored as it is; it is not cleaned, for two names must not become one.

    Args:
        what: whose name it is, for the message.
        name: as somebody gave it.

    Raises:
        MalformedError: it is no text, or holds NUL or a lone surrogate, which no UTF-8 database takes.
    """
    check_type(what, name, str)
    if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in str(name)):
        raise MalformedError(
            f"{what} {name!r:.200} cannot be kept. Give text without NUL and lone surrogates."
        )
