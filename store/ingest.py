"""Ingesting a folder: a collection mirrors it, and only what changed is embedded."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from psycopg.sql import SQL

from store.arguments import check_type
from store.changes import IngestReport, Job, read_changes
from store.chunk_vectors import embed_chunks
from store.collection_tables import chunks_table, postings_table
from store.embedding import Progress
from store.errors import IngestError
from store.index import index_vectors, remove_document, write_document
from store.knowledge import Collection, Knowledge, begin, drop_unfinished, list_collections, publish
from store.lexical import words
from store.postgres import Connection, Pool
from store.settings import COLLECTION_NAME

_BATCH = 64
_LOCK_SEED = 44


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
    await _check(folder, collection)
    async with _lock(knowledge.pool, collection) as connection:
        await drop_unfinished(connection, collection)
        present = next((c for c in await list_collections(knowledge) if c.name == collection), None)
        kept = None if reindex else present
        if kept:
            await _require_same_embedder(knowledge, kept, folder)
        known = await _known(connection, kept.id) if kept else {}
        report = IngestReport(collection)
        jobs = await asyncio.to_thread(read_changes, folder, known, report)
        if not jobs and not report.unchanged:
            raise IngestError(_nothing_to_read(folder, report))
        number = kept.id if kept else await begin(knowledge, connection, collection, str(folder))
        if not present:  # readers may see it grow
            await publish(connection, number, collection)
        await _mirror(knowledge, connection, number, jobs, known, report, progress)
        if present and not kept:
            await publish(connection, number, collection)
        await connection.execute("UPDATE collections SET source = %s WHERE id = %s", (str(folder), number))
        return report


async def _check(folder: Path, collection: str) -> None:
    check_type("Folder", folder, Path)
    check_type("Collection", collection, str)
    if not await asyncio.to_thread(folder.is_dir):
        wrong = "is a file" if await asyncio.to_thread(folder.exists) else "is not there"
        raise IngestError(f"{str(folder)!r} {wrong}. Name the folder that holds the documents.")
    if not re.fullmatch(COLLECTION_NAME, collection):
        raise IngestError(
            f"Collection name {collection!r} is malformed. Use 1 to 64 letters, digits, '.', '-' or '_'."
        )


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
    jobs: Sequence[Job],
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


async def _embed_and_write(
    knowledge: Knowledge,
    connection: Connection,
    number: int,
    jobs: Sequence[Job],
    progress: Progress | None,
) -> None:
    total = sum(len(job.chunks) for job in jobs)
    done = 0
    for batch in _batches(jobs):
        chunks = [chunk for job in batch for chunk in job.chunks]
        vectors = iter(await embed_chunks(knowledge.embedder, chunks))
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


def _batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """Gather documents until their chunks fill a batch of the embedder."""
    batch: list[Job] = []
    for job in jobs:
        batch.append(job)
        if sum(len(each.chunks) for each in batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


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
