"""Help-centre files, read one by one: each gives a document, or is refused by name with the reason."""

import datetime as dt
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from store.encoding import decode
from store.errors import IngestError
from store.front_matter import split_front_matter
from store.markdown import blocks, title_of
from store.text import readable

SUFFIXES = frozenset({".md", ".markdown", ".mdx", ".txt"})
LARGEST_FILE = 5_000_000
"""Bytes. A larger file is a log or a dump: it alone would be thousands of chunks and drown the articles."""
_FOREIGN_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__", "venv"})
_OUTDATED = frozenset({"deprecated", "archived", "obsolete", "outdated"})
_DATE_KEYS = (
    "updated",
    "updated_at",
    "lastupdated",
    "last_updated",
    "lastmod",
    "last_modified",
    "modified",
    "date",
)


@dataclass(frozen=True, slots=True)
class Document:
    """One article.

    Attributes:
        doc_id: what chunks and citations name it by; stable while the file keeps its path or `id`.
        title: from the front matter, else the first level-1 heading, else the file's name.
        category: from the front matter, else the folder it lies in; may be empty.
        body: Markdown without front matter, readable (see `store.text.readable`).
        warnings: what was wrong with the file and how to mend it.
        source: path relative to the folder, with forward slashes.
        updated: the day of its last change, if the front matter says so.
        deprecated: the front matter calls it outdated.
    """

    doc_id: str
    title: str
    category: str
    body: str
    warnings: tuple[str, ...]
    source: str
    updated: dt.date | None = None
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that is not ingested: `skip` if it holds no article, `reject` if it cannot be read."""

    source: str
    status: Literal["skip", "reject"]
    reason: str


def read_folder(folder: Path) -> Iterator[Document | Refusal]:
    """Read the articles below a folder, always in the same order; one bad file stops nothing.

    Hidden files and folders, installed packages and other kinds of files are passed over. Links to folders
    are not followed.

    Raises:
        IngestError: there is no such folder.
    """
    if not folder.is_dir():
        raise IngestError(f"{folder} is not a folder. Name the folder that holds the articles.")
    known: dict[str, str] = {}
    for path in _files(folder):
        result = _read_file(folder, path)
        if isinstance(result, Document):
            first = known.setdefault(result.doc_id, result.source)
            if first != result.source:
                reason = f"its id {result.doc_id} is taken by {first}: give one of them another `id`"
                result = Refusal(result.source, "reject", reason)
        yield result


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _FOREIGN_FOLDERS)
        for name in sorted(names):
            if name[0] != "." and Path(name).suffix.lower() in SUFFIXES:
                yield Path(parent, name)


def _read_file(folder: Path, path: Path) -> Document | Refusal:
    relative = path.relative_to(folder).as_posix()
    source = os.fsencode(relative).decode(errors="replace")
    try:
        if not path.resolve(strict=True).is_relative_to(folder.resolve()):
            return Refusal(source, "reject", "it links to a file outside the folder: copy that file here")
        if not path.is_file():  # a named pipe would be waited for without end
            return Refusal(source, "reject", "it is no regular file")
        if (size := path.stat().st_size) > LARGEST_FILE:
            return _too_large(source, size)
        return read_document(source, path.read_bytes())
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Refusal(source, "reject", f"it cannot be opened: {reason}")


def read_document(source: str, data: bytes) -> Document | Refusal:
    """Read one article from its bytes.

    Args:
        source: its path relative to the folder, with forward slashes.
        data: the file's content in UTF-8, UTF-16 or GB18030.
    """
    if len(data) > LARGEST_FILE:
        return _too_large(source, len(data))
    decoded = decode(data)
    if decoded.text is None:
        return Refusal(source, "reject", decoded.problem)
    matter = split_front_matter(readable(decoded.text))
    values = matter.values
    if values.get("draft") == "true" or values.get("published") == "false":
        return Refusal(source, "skip", "it is a draft")
    if not matter.body.strip():
        return Refusal(source, "skip", "it is empty" if not values else "it holds front matter only")
    updated, date_warnings = _updated(values)
    path = PurePosixPath(source)
    return Document(
        doc_id=_doc_id(values.get("id") or path.with_suffix("").as_posix()),
        title=_one_line(values.get("title") or title_of(blocks(matter.body)) or path.stem),
        category=_one_line(values.get("category") or path.parent.name),
        body=matter.body,
        warnings=(*filter(None, [decoded.problem]), *matter.warnings, *date_warnings),
        source=source,
        updated=updated,
        deprecated=values.get("deprecated") == "true" or values.get("status", "").lower() in _OUTDATED,
    )


def _too_large(source: str, size: int) -> Refusal:
    reason = f"it has {size:,} bytes, more than {LARGEST_FILE:,}: split it into articles"
    return Refusal(source, "reject", reason)


def _doc_id(name: str) -> str:
    return re.sub(r"[\s\[\]#%]+", "-", unicodedata.normalize("NFC", readable(name).strip()))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _updated(values: Mapping[str, str]) -> tuple[dt.date | None, tuple[str, ...]]:
    value = next((values[key] for key in _DATE_KEYS if values.get(key)), "")
    try:
        return (dt.date.fromisoformat(value[:10]) if value else None), ()
    except ValueError:
        return None, (f"date {value!r} is not of the form 2025-06-30",)
