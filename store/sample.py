"""The sample help centre, and which collection answers when none is named."""

import asyncio
from pathlib import Path

from store.business import seed_sample
from store.changes import IngestReport
from store.embedding import Progress
from store.ingest import ingest
from store.knowledge import Knowledge, list_collections
from store.settings import PROJECT, Settings

SAMPLE = "sample"
SAMPLE_FOLDER: Path = PROJECT / "helpcenter"


async def ensure_sample(knowledge: Knowledge, progress: Progress | None = None) -> IngestReport | None:
    """Ingest the sample help centre into a database that holds no collection yet, and its business rows.

    Returns:
        What was ingested, or nothing when there is a collection already, or no sample beside the program.
    """
    if await list_collections(knowledge) or not await asyncio.to_thread(SAMPLE_FOLDER.is_dir):
        return None
    await seed_sample(knowledge.pool)
    return await ingest(knowledge, SAMPLE_FOLDER, SAMPLE, progress=progress)


async def collection_in_use(knowledge: Knowledge, settings: Settings, named: str = "") -> str:
    """Return the collection that answers.

    The one that is named, else the one of the settings. As long as nobody chose that and it was never ingested, the
    only other collection stands in for it: the one that somebody ingested, or, as long as there is none, the sample.
    A chosen one that is not there is an error when it is searched: answers from another would look right.

    Args:
        knowledge: the index.
        settings: names the default collection.
        named: the collection that the run asks for; empty: none.
    """
    if named:
        return named
    if settings.collection != Settings.model_fields["collection"].default:
        return settings.collection
    names = {collection.name for collection in await list_collections(knowledge)}
    own = names - {SAMPLE}
    if settings.collection in names or len(own) > 1:
        return settings.collection
    return next(iter(own or names), settings.collection)
