"""The metadata block at the top of an article: YAML or TOML, whole, broken or never closed."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import yaml

_FENCES = {"---": ("---", "..."), "+++": ("+++",)}
_PAIR = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*[:=]\s*(.*?)\s*$")
_LIKE_METADATA = re.compile(r"\s*$|[ \t]|#|- |[\"']?[\w.-]+[\"']?\s*[:=]|[\]}\[]")
_INVALID = "front matter is not valid: put values that hold a colon, a bracket or a quote in quotes"
_UNCLOSED = "front matter is not closed: add a line {} below it"
_LARGEST = 65_536
"""A longer block is no metadata, and YAML is slow."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Metadata as text by lower-case key, the article below it, and what was wrong with it."""

    values: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    warnings: tuple[str, ...] = ()


def split_front_matter(text: str) -> FrontMatter:
    r"""Part the front matter from the article; line ends must be ``\n``.

    A block that cannot be parsed is read line by line; one that is never closed ends where the lines stop
    looking like metadata. Either gives a warning, and the article stays whole.
    """
    lines = text.lstrip("\n").split("\n")
    fence = lines[0].rstrip()
    if fence not in _FENCES or not _starts_metadata(lines[1:2], fence):
        return FrontMatter(body=text)
    close = next((i for i, line in enumerate(lines) if i and line.rstrip() in _FENCES[fence]), None)
    values = _parsed(lines[1:close], fence) if close else None
    if close and values is not None:
        return FrontMatter(values, "\n".join(lines[close + 1 :]))
    if close and all(map(_LIKE_METADATA.match, lines[1:close])) and not _holds_heading(lines[1:close]):
        return FrontMatter(_line_by_line(lines[1:close]), "\n".join(lines[close + 1 :]), (_INVALID,))
    end = next((i for i, line in enumerate(lines) if i and _starts_article(line)), len(lines))
    return FrontMatter(_line_by_line(lines[1:end]), "\n".join(lines[end:]), (_UNCLOSED.format(fence),))


def _starts_metadata(lines: Sequence[str], fence: str) -> bool:
    line = "".join(lines)
    return line.rstrip() in _FENCES[fence] or bool(_PAIR.match(line)) or line.startswith("#")


def _holds_heading(lines: Sequence[str]) -> bool:
    return any(not before.strip() and line.startswith("#") for before, line in pairwise(lines))


def _starts_article(line: str) -> bool:
    return not line.strip() or line.startswith("#") or not _LIKE_METADATA.match(line)


def _parsed(lines: Sequence[str], fence: str) -> dict[str, str] | None:
    block = "\n".join(lines)
    if len(block) > _LARGEST:
        return None
    try:
        # BaseLoader reads every scalar as text: an id keeps its zeros, a wrong date raises nothing.
        values: object = tomllib.loads(block) if fence == "+++" else yaml.load(block, yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, tomllib.TOMLDecodeError, RecursionError, ValueError):
        return None
    if values is None:
        return {}
    if not isinstance(values, dict):
        return None
    return {
        str(key).lower(): str(value).lower() if isinstance(value, bool) else str(value).strip()
        for key, value in values.items()
        if not isinstance(value, list | dict)
    }


def _line_by_line(lines: Sequence[str]) -> dict[str, str]:
    pairs = (match.groups() for line in lines if (match := _PAIR.match(line)))
    return {key.lower(): value.strip("\"'") for key, value in pairs if value}
