"""Word lists in Chinese and English, each a text file of words between blanks.

``stop``: words that only ask, link or point. ``light``: words that ask about a topic without naming one.
``alternatives``: one group a line, of which a person usually has or wants one at a time. ``framing``: words by which memories
are not compared. ``relating``: words of relation and degree, by which an answer and a passage are not compared.
``languages``, ``slots`` and ``cues`` are tables of their own (`nodes.memory`).
"""

from functools import cache
from importlib.resources import files


@cache
def lexicon(name: str) -> frozenset[str]:
    """Return the words of a list.

    Args:
        name: the file's name without ``.txt``.
    """
    return frozenset((files(__name__) / f"{name}.txt").read_text(encoding="utf-8").split())


@cache
def groups(name: str) -> tuple[frozenset[str], ...]:
    """Return the groups of words of a list, one a line.

    Args:
        name: the file's name without ``.txt``.
    """
    lines = (files(__name__) / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(frozenset(line.split()) for line in lines if line.strip())
