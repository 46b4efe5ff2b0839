from pathlib import Path

import pytest

from store.embedding import open_embedder
from store.errors import IngestError
from store.ingest import ingest
from store.knowledge import list_collections, open_knowledge
from store.persistence import open_persistence
from store.sample import SAMPLE, collection_in_use, ensure_sample
from store.settings import load_settings
from tests.conftest import create_database


async def test_the_sample_answers_only_until_another_collection_is_there(
    server_url: str, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# 访客网络\n\n密码每周一更换。\n", "utf-8")
    config = load_settings(database_url=create_database(server_url, "sample"))
    async with (
        open_persistence(config) as (pool, _saver, _memories),
        open_knowledge(pool, open_embedder(config)) as knowledge,
    ):
        assert await collection_in_use(knowledge, config) == config.collection
        report = await ensure_sample(knowledge)
        assert report is not None
        assert (len(report.added), report.refused) == (20, {})
        assert await ensure_sample(knowledge) is None
        assert await collection_in_use(knowledge, config) == SAMPLE
        assert await collection_in_use(knowledge, config, "named") == "named"
        chosen = config.model_copy(update={"collection": "chosen"})
        assert await collection_in_use(knowledge, chosen) == "chosen"  # nothing stands in for what was chosen
        await ingest(knowledge, tmp_path, "office")
        assert await collection_in_use(knowledge, config) == "office"
        await ingest(knowledge, tmp_path, "shop")
        assert await collection_in_use(knowledge, config) == config.collection
        await ingest(knowledge, tmp_path, config.collection)
        assert await collection_in_use(knowledge, config) == config.collection


async def test_a_folder_without_a_readable_document_leaves_the_collection_as_it_is(
    server_url: str, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "empty").mkdir()
    (tmp_path / "full" / "a.md").write_text("# 访客网络\n\n密码每周一更换。\n", "utf-8")
    config = load_settings(database_url=create_database(server_url, "unmounted"))
    async with (
        open_persistence(config) as (pool, _saver, _memories),
        open_knowledge(pool, open_embedder(config)) as knowledge,
    ):
        await ingest(knowledge, tmp_path / "full", "office")
        for reindex in (False, True):
            with pytest.raises(IngestError, match="no document that can be read"):
                await ingest(knowledge, tmp_path / "empty", "office", reindex=reindex)
        with pytest.raises(IngestError):
            await ingest(knowledge, tmp_path / "empty", "new")
        assert [(c.name, c.documents) for c in await list_collections(knowledge)] == [("office", 1)]
