"""What changed in a folder since it was ingested: the documents to index, and a report on every file."""

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store.chunk_vectors import HEADING_SHARE
from store.chunking import CHUNKER_VERSION, Chunk, chunk
from store.documents import Document, Refusal, read_folder
from store.lexical import ANALYSIS_VERSION


@dataclass(slots=True)
class IngestReport:
    """What an ingestion did.

    Attributes:
        collection: its name.
        added: ids of the documents that are new.
        changed: ids of those whose content changed.
        unchanged: ids of those that were left alone.
        removed: ids of those that left the collection.
        skipped: the reason, by path, why a file holds no article, such as that it is empty or a draft.
        refused: the reason, by path, why a file cannot be read.
        warnings: what to mend in a file, by path.
        chunks: how many chunks were embedded.
    """

    collection: str
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A document to index."""

    document: Document
    chunks: list[Chunk]
    content_hash: str


def read_changes(folder: Path, known: Mapping[str, str], report: IngestReport) -> list[Job]:
    """Read what is new or changed, and write into the report what became of each file.

    Args:
        folder: where the documents are.
        known: content hash of the documents in the collection, by id.
        report: completed here.
    """
    jobs = []
    for found in read_folder(folder):
        if isinstance(found, Refusal):
            left_out = report.skipped if found.status == "skip" else report.refused
            left_out[found.source] = found.reason
            continue
        if found.warnings:
            report.warnings[found.source] = found.warnings
        content_hash = _content_hash(found)
        if known.get(found.doc_id) == content_hash:
            report.unchanged.append(found.doc_id)
            continue
        (report.changed if found.doc_id in known else report.added).append(found.doc_id)
        jobs.append(Job(found, chunk(found), content_hash))
    return jobs


def _content_hash(document: Document) -> str:
    """Return a hash of all that the index keeps of a document, and of the code that makes chunks and terms of it."""
    content = (CHUNKER_VERSION, ANALYSIS_VERSION, HEADING_SHARE, *dataclasses.astuple(document))
    return hashlib.sha256(repr(content).encode()).hexdigest()
