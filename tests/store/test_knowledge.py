"""Ingesting and searching, on a real Postgres with the bundled embedder."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from store.articles import get_article
from store.embedding import BundledEmbedder, Vector
from store.errors import IngestError, RetrievalError
from store.ingest import ingest
from store.knowledge import Knowledge, delete_collection, find_collection, list_collections, open_knowledge
from store.postgres import Pool
from store.search import MODES, Mode, search


class CountingEmbedder(BundledEmbedder):
    """Counts the texts that it embeds as documents."""

    def __init__(self) -> None:
        self.embedded = 0

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += len(texts)
        return await super().embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return (await super().embed_documents([text]))[0]


class OtherEmbedder(BundledEmbedder):
    """Another model by name, with the same vectors."""

    name = "another-model"


@pytest.fixture
async def knowledge(pool: Pool) -> AsyncIterator[Knowledge]:
    async with open_knowledge(pool, CountingEmbedder()) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "refund.md",
        "# 退款政策\n\n## 年付套餐\n\n年付订单按剩余整月数比例退款。\n\n## 月付套餐\n\n月付不支持中途退款。",
    )
    write(tmp_path, "phone.md", "# 更换手机号\n\n在“安全中心”验证旧号后更换，24 小时内只能换一次。")
    write(
        tmp_path,
        "errors.md",
        "# Error codes\n\n## E1043\n\nThe file is not UTF-8.\n\n## E1044\n\nThe file is too large.",
    )
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


def embedded(knowledge: Knowledge) -> int:
    assert isinstance(knowledge.embedder, CountingEmbedder)
    return knowledge.embedder.embedded


@pytest.mark.parametrize("mode", MODES)
async def test_every_mode_finds_the_passage_first(knowledge: Knowledge, folder: Path, mode: Mode) -> None:
    await ingest(knowledge, folder, f"modes-{mode}")
    first = (await search(knowledge, "年付套餐买错了能退款吗", collection=f"modes-{mode}", mode=mode))[0]
    assert (first.id, first.section) == ("refund#1", "退款政策 > 年付套餐")
    assert "剩余整月数" in first.text
    assert 0 < first.confidence < 1


async def test_a_question_in_another_language_finds_the_article(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "languages")
    found = await search(knowledge, "Can I get a refund on a monthly plan?", collection="languages", k=2)
    assert {passage.doc_id for passage in found} == {"refund"}


async def test_a_code_finds_its_own_section_only_by_terms(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "codes")
    found = await search(knowledge, "报错 e1044", collection="codes", mode="bm25")
    assert [passage.section for passage in found] == ["Error codes > E1044"]


async def test_white_space_and_script_change_nothing(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "spaces")
    plain, odd = [
        await search(knowledge, query, collection="spaces", mode="bm25")
        for query in ("更换手机号", "更 換 手機 號")
    ]
    assert plain == odd
    assert plain[0].doc_id == "phone"


async def test_an_unchanged_folder_costs_no_embedding(knowledge: Knowledge, folder: Path) -> None:
    first = await ingest(knowledge, folder, "twice")
    before = embedded(knowledge)
    second = await ingest(knowledge, folder, "twice")
    assert (len(first.added), first.chunks) == (3, 5)
    assert (second.added, second.changed, second.chunks, len(second.unchanged)) == ([], [], 0, 3)
    assert embedded(knowledge) == before


async def test_only_what_changed_is_embedded_and_what_is_gone_disappears(
    knowledge: Knowledge, folder: Path
) -> None:
    await ingest(knowledge, folder, "edits")
    before, version = embedded(knowledge), (await find_collection(knowledge, "edits")).version
    write(folder, "phone.md", "# 更换手机号\n\n请联系客服更换。")
    (folder / "errors.md").unlink()
    report = await ingest(knowledge, folder, "edits")
    assert (report.changed, report.removed, report.unchanged) == (["phone"], ["errors"], ["refund"])
    assert embedded(knowledge) == before + 2  # the chunk and its headings
    assert await search(knowledge, "E1043", collection="edits", mode="bm25") == []
    assert (await search(knowledge, "更换手机号", collection="edits"))[0].text == "请联系客服更换。"
    assert (await find_collection(knowledge, "edits")).version > version


async def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(
    knowledge: Knowledge, folder: Path
) -> None:
    write(folder, "empty.md", "")
    (folder / "broken.md").write_bytes(bytes(range(128, 256)) * 4)
    report = await ingest(knowledge, folder, "refusals")
    assert (list(report.skipped), list(report.refused)) == (["empty.md"], ["broken.md"])
    assert len(report.added) == 3


async def test_progress_ends_at_the_total(knowledge: Knowledge, folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    await ingest(knowledge, folder, "progress", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (5, 5)


async def test_a_missing_folder_is_named(knowledge: Knowledge, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="nowhere"):
        await ingest(knowledge, tmp_path / "nowhere", "missing")


async def test_a_reader_sees_the_old_or_the_new_document_never_none(
    knowledge: Knowledge, folder: Path
) -> None:
    await ingest(knowledge, folder, "atomic")
    seen: set[str] = set()
    done = asyncio.Event()

    async def read() -> None:
        while not done.is_set():
            found = await search(knowledge, "更换手机号", collection="atomic", k=1)
            seen.add(found[0].text if found else "none")

    reader = asyncio.create_task(read())
    try:
        for version in range(5):
            write(folder, "phone.md", f"# 更换手机号\n\n更换手机号的第 {version} 种办法。")
            await ingest(knowledge, folder, "atomic")
        await ingest(knowledge, folder, "atomic", reindex=True)
    finally:
        done.set()
        await reader
    assert len(seen) > 1
    assert all("更换" in text for text in seen)


async def test_another_embedder_is_refused_with_the_command_until_the_collection_is_indexed_anew(
    knowledge: Knowledge, pool: Pool, folder: Path
) -> None:
    await ingest(knowledge, folder, "models")
    async with open_knowledge(pool, OtherEmbedder()) as other:
        with pytest.raises(IngestError, match=r"supportpilot ingest .* --collection models --reindex"):
            await ingest(other, folder, "models")
        with pytest.raises(RetrievalError, match=r"supportpilot ingest .* --collection models --reindex"):
            await search(other, "退款", collection="models")
        await ingest(other, folder, "models", reindex=True)
        assert (await search(other, "年付退款", collection="models"))[0].doc_id == "refund"


async def test_two_ingestions_of_one_collection_do_not_disturb_each_other(
    knowledge: Knowledge, folder: Path
) -> None:
    reports = await asyncio.gather(*(ingest(knowledge, folder, "together") for _ in range(3)))
    assert sorted(len(report.added) for report in reports) == [0, 0, 3]


async def test_an_indexing_that_broke_off_leaves_nothing_behind(
    knowledge: Knowledge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ingest(knowledge, folder, "broken")

    async def fail(_: Sequence[str]) -> list[Vector]:
        raise RetrievalError("The model is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(knowledge.embedder, "embed_documents", fail)
        with pytest.raises(RetrievalError):
            await ingest(knowledge, folder, "broken", reindex=True)
    assert (await search(knowledge, "年付退款", collection="broken"))[0].doc_id == "refund"
    await ingest(knowledge, folder, "broken")
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute("SELECT count(*) AS n FROM collections WHERE name = 'broken'")
        assert await cursor.fetchone() == {"n": 1}


async def test_copies_are_shown_once_and_the_newer_version_first(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    for name in "abc":
        write(tmp_path, f"{name}.md", "# 更换手机号\n\n在“安全中心”验证旧号后更换，24 小时内只能换一次。")
    write(tmp_path, "old.md", "---\nupdated: 2023-05-01\n---\n# 退款期限\n\n付款后 30 天内可退款。")
    write(tmp_path, "new.md", "---\nupdated: 2025-06-01\n---\n# 退款期限\n\n付款后 7 天内可退，超过不退。")
    await ingest(knowledge, tmp_path, "twins")
    phone = await search(knowledge, "怎么更换手机号", collection="twins", k=3)
    assert len([passage for passage in phone if passage.doc_id in "abc"]) == 1
    refund = await search(knowledge, "付款后 30 天内退款的期限", collection="twins", k=2)
    assert [passage.doc_id for passage in refund] == ["new", "old"]


async def test_a_large_collection_is_searched_by_an_index_that_grows_with_it(
    knowledge: Knowledge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.index.INDEXED", 3)
    await ingest(knowledge, folder, "many")
    number = (await find_collection(knowledge, "many")).id
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM pg_indexes WHERE indexname = %s AND indexdef LIKE '%%hnsw%%'",
            (f"vectors_{number}",),
        )
        assert await cursor.fetchone() == {"n": 1}
    write(folder, "invoice.md", "# 发票抬头\n\n发票抬头写错了，可以在三十天内申请红冲并重新开具。")
    await ingest(knowledge, folder, "many")
    assert (await search(knowledge, "发票抬头写错了", collection="many", mode="dense"))[0].doc_id == "invoice"
    assert (await search(knowledge, "年付能退吗", collection="many", mode="dense"))[0].doc_id == "refund"


async def test_collections_keep_apart(
    knowledge: Knowledge, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    write(other, "refund.md", "# 退款政策\n\n所有订单都可以随时全额退款。")
    await ingest(knowledge, folder, "here")
    await ingest(knowledge, other, "there")
    texts = [passage.text for passage in await search(knowledge, "全额退款", collection="here", k=10)]
    assert not any("全额" in text for text in texts)


async def test_an_unknown_collection_is_answered_with_the_known_ones(
    knowledge: Knowledge, folder: Path
) -> None:
    await ingest(knowledge, folder, "known")
    with pytest.raises(
        RetrievalError, match=r"'nobody'.*'known'.*supportpilot ingest DIR --collection nobody"
    ):
        await search(knowledge, "退款", collection="nobody")


async def test_an_unknown_mode_is_answered_with_the_known_ones(knowledge: Knowledge) -> None:
    with pytest.raises(RetrievalError, match="bm25, dense, hybrid, rerank"):
        await search(knowledge, "退款", collection="any", mode="best")  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize("query", ["", " \n\t　", "\0"])
async def test_an_empty_question_finds_nothing(knowledge: Knowledge, query: str) -> None:
    assert await search(knowledge, query, collection="any") == []


@pytest.mark.parametrize("query", ["hi\0there", "\ud83d", "退" * 5000, "' OR 1=1; --", "😡😡😡", "%s {x} :y"])
async def test_odd_questions_break_nothing(knowledge: Knowledge, folder: Path, query: str) -> None:
    await ingest(knowledge, folder, "odd")
    await search(knowledge, query, collection="odd")


async def test_a_deleted_collection_is_gone_with_its_tables(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "deleted")
    number = (await find_collection(knowledge, "deleted")).id
    await delete_collection(knowledge, "deleted")
    assert "deleted" not in [collection.name for collection in await list_collections(knowledge)]
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM pg_tables WHERE tablename IN (%s, %s)",
            (f"chunks_{number}", f"postings_{number}"),
        )
        assert await cursor.fetchone() == {"n": 0}


async def test_an_article_is_read_whole_as_its_passages(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "articles")
    article = await get_article(knowledge, "refund", collection="articles")
    assert article.title == "退款政策"
    text = "\n".join(f"{passage.section} {passage.text}" for passage in article.passages)
    assert text.index("年付套餐") < text.index("月付不支持")
    assert [p.id for p in article.passages] == [f"refund#{n}" for n in range(1, len(article.passages) + 1)]
    with pytest.raises(RetrievalError, match="'nothing'"):
        await get_article(knowledge, "nothing", collection="articles")


async def test_a_passage_id_for_an_article_is_told_how_ids_look(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "articles")
    with pytest.raises(RetrievalError, match="look like 'refund'"):
        await get_article(knowledge, "refund#1", collection="articles")
