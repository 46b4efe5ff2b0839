"""Ingesting a folder: a collection mirrors it, and only what changed is embedded."""

import asyncio
import dataclasses
import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from psycopg.sql import SQL

from store.arguments import check_type
from store.chunking import CHUNKER_VERSION, Chunk, chunk, heading_path
from store.documents import Document, Refusal, read_folder
from store.embedding import Embedder, Progress, Vector
from store.errors import IngestError
from store.index import index_vectors, remove_document, write_document
from store.knowledge import (
    Collection,
    Knowledge,
    begin,
    chunks_table,
    drop_unfinished,
    list_collections,
    postings_table,
    publish,
)
from store.lexical import ANALYSIS_VERSION, fold, words
from store.postgres import Connection, Pool

HEADING_SHARE = 0.3
"""Part of the headings' own vector in a chunk's vector, which else a long text drowns (flat from 0.3 to 0.4)."""

_BATCH = 64
_LOCK_SEED = 44

COLLECTION_NAME = re.compile(r"[\w.-]{1,64}")
"""What a collection may be called."""


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
class _Job:
    document: Document
    chunks: list[Chunk]
    content_hash: str


async def ingest(
    knowledge: Knowledge,
    folder: Path,
    collection: str,
    *,
    reindex: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Make a collection mirror a folder.

    Documents whose files are unchanged cost nothing. A changed one is replaced in one transaction. What is no
    longer in the folder, or can no longer be read, leaves the collection. Two ingestions of one collection
    run one after the other.

    Args:
        knowledge: the index.
        folder: searched for documents at any depth.
        collection: name of the collection.
        reindex: build the collection anew beside the old one, which readers see until the new one is whole.
        progress: told how far the embedding is.

    Raises:
        MalformedError: an argument has not its type.
        IngestError: the folder is not there, the collection's name is malformed, another model embedded it,
            or nothing in the folder can be read though the collection holds documents.
        RetrievalError: the embedding model fails.
    """
    check_type("Folder", folder, Path)
    check_type("Collection", collection, str)
    if not await asyncio.to_thread(folder.is_dir):
        wrong = "is a file" if await asyncio.to_thread(folder.exists) else "is not there"
        raise IngestError(f"{str(folder)!r} {wrong}. Name the folder that holds the documents.")
    if not COLLECTION_NAME.fullmatch(collection):
        raise IngestError(
            f"Collection name {collection!r} is malformed. Use 1 to 64 letters, digits, '.', '-' or '_'."
        )
    async with _lock(knowledge.pool, collection) as connection:
        await drop_unfinished(connection, collection)
        present = next((c for c in await list_collections(knowledge) if c.name == collection), None)
        if present and not reindex:
            await _require_same_embedder(knowledge, present, folder)
        known = await _known(connection, present.id) if present and not reindex else {}
        report = IngestReport(collection)
        jobs = await asyncio.to_thread(_read, folder, known, report)
        if not jobs and not report.unchanged:
            raise IngestError(_nothing_to_read(folder, report))
        if present and not reindex:
            await _mirror(knowledge, connection, present.id, jobs, known, report, progress)
        else:
            number = await begin(knowledge, connection, collection, str(folder))
            if not present:  # readers may see it grow
                await publish(connection, number, collection)
            await _mirror(knowledge, connection, number, jobs, known, report, progress)
            if present:
                await publish(connection, number, collection)
        await connection.execute(
            "UPDATE collections SET source = %s WHERE name = %s AND live", (str(folder), collection)
        )
        return report


async def _known(connection: Connection, number: int) -> dict[str, str]:
    cursor = await connection.execute("SELECT doc_id, hash FROM documents WHERE collection = %s", (number,))
    return {str(row["doc_id"]): str(row["hash"]) for row in await cursor.fetchall()}


def _nothing_to_read(folder: Path, report: IngestReport) -> str:
    left_out = list((report.refused | report.skipped).items())[:3]
    reasons = "".join(f"; {path}: {reason}" for path, reason in left_out)
    return (
        f"Folder {str(folder)!r} holds no document that can be read{reasons}. The collection stays as it is."
    )


async def _mirror(
    knowledge: Knowledge,
    connection: Connection,
    number: int,
    jobs: Sequence[_Job],
    known: Mapping[str, str],
    report: IngestReport,
    progress: Progress | None,
) -> None:
    await _embed_and_write(knowledge, connection, number, jobs, progress)
    kept = {job.document.doc_id for job in jobs} | set(report.unchanged)
    for doc_id in sorted(known.keys() - kept):
        await remove_document(connection, number, doc_id)
        report.removed.append(doc_id)
    report.chunks = sum(len(job.chunks) for job in jobs)
    if jobs or report.removed:
        await index_vectors(connection, number)
        await connection.execute(
            SQL("VACUUM (ANALYZE) {}, {}").format(chunks_table(number), postings_table(number))
        )


def _read(folder: Path, known: Mapping[str, str], report: IngestReport) -> list[_Job]:
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
        jobs.append(_Job(found, chunk(found), content_hash))
    return jobs


async def _embed_and_write(
    knowledge: Knowledge,
    connection: Connection,
    number: int,
    jobs: Sequence[_Job],
    progress: Progress | None,
) -> None:
    total = sum(len(job.chunks) for job in jobs)
    done = 0
    for batch in _batches(jobs):
        chunks = [chunk for job in batch for chunk in job.chunks]
        vectors = iter(await _embed(knowledge.embedder, chunks))
        for job in batch:
            mine = [next(vectors) for _ in job.chunks]
            await write_document(connection, number, job.document, job.chunks, mine, job.content_hash)
        if knowledge.second_stage:
            await knowledge.second_stage.vocabulary.learn(
                word for each in chunks for word in words(each.indexed)
            )
        done += len(chunks)
        if progress:
            progress(done, total)


async def _embed(embedder: Embedder, chunks: Sequence[Chunk]) -> list[Vector]:
    """Return for each chunk a vector of length one: its text's, turned towards its headings'."""
    if not chunks:
        return []
    paths = [fold(heading_path(chunk)) for chunk in chunks]
    texts = dict.fromkeys([*(fold(chunk.indexed) for chunk in chunks), *paths])
    embedded = np.asarray(await embedder.embed_documents(list(texts)))
    vector = dict(zip(texts, embedded / np.linalg.norm(embedded, axis=1, keepdims=True), strict=True))
    return [
        _unit((1 - HEADING_SHARE) * vector[fold(chunk.indexed)] + HEADING_SHARE * vector[path])
        for chunk, path in zip(chunks, paths, strict=True)
    ]


def _unit(vector: NDArray[np.float64]) -> Vector:
    unit: Vector = (vector / np.linalg.norm(vector)).tolist()
    return unit


def _batches(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    """Gather documents until their chunks fill a batch of the embedder."""
    batch: list[_Job] = []
    for job in jobs:
        batch.append(job)
        if sum(len(each.chunks) for each in batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _content_hash(document: Document) -> str:
    """Return a hash of all that the index keeps of a document, and of the code that makes chunks and terms of it."""
    content = (CHUNKER_VERSION, ANALYSIS_VERSION, HEADING_SHARE, *dataclasses.astuple(document))
    return hashlib.sha256(repr(content).encode()).hexdigest()


async def _require_same_embedder(knowledge: Knowledge, collection: Collection, folder: Path) -> None:
    embedder = knowledge.embedder
    if (collection.embedder, collection.dimensions) != (embedder.name, await embedder.dimensions()):
        raise IngestError(
            f"Collection {collection.name!r} was embedded by {collection.embedder!r} ({collection.dimensions} "
            f"dimensions), the settings name {embedder.name!r} ({await embedder.dimensions()}). Index it anew with: "
            f"supportpilot ingest {str(folder)!r} --collection {collection.name} --reindex"
        )


@asynccontextmanager
async def _lock(pool: Pool, collection: str) -> AsyncIterator[Connection]:
    async with pool.connection() as connection:
        await connection.execute(
            "SELECT pg_advisory_lock(hashtextextended(%s, %s))", (collection, _LOCK_SEED)
        )
        try:
            yield connection
        finally:
            await connection.execute(
                "SELECT pg_advisory_unlock(hashtextextended(%s, %s))", (collection, _LOCK_SEED)
            )
