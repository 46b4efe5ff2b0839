"""The second stage of the search with its real models: word by word, and by the slower model afterwards."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from store.e5 import E5Embedder
from store.embedding import BundledEmbedder, Vector
from store.ingest import ingest
from store.knowledge import Knowledge, find_collection, open_knowledge
from store.legs import Candidate
from store.postgres import Pool
from store.refinement import refine, refined_scores
from store.rescoring import REPEATED, read_question, rescored
from store.search import search
from store.second_stage import SecondStage, open_second_stage
from store.vocabulary import Vocabulary


class CountingEmbedder(BundledEmbedder):
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    async def embed_documents(self, texts: object) -> list[Vector]:
        listed = list(texts)  # type: ignore[call-overload]  # texts, as the base class has them
        self.embedded += listed
        return await super().embed_documents(listed)


@pytest.fixture
async def knowledge(pool: Pool) -> AsyncIterator[Knowledge]:
    async with open_knowledge(pool, BundledEmbedder(), None, open_second_stage(pool)) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "refund.md").write_text("# 退款政策\n\n年付订单按剩余整月数比例退款，款项原路退回。", "utf-8")
    (tmp_path / "phone.md").write_text("# 更换手机号\n\n在安全中心验证旧号后更换，每天只能换一次。", "utf-8")
    (tmp_path / "mail.md").write_text(
        "# Change your e-mail\n\nConfirm the new address within a day.", "utf-8"
    )
    return tmp_path


def candidate(key: str) -> Candidate:
    return Candidate(key, key, "", "", key, key, None, False, 0.0)


async def test_the_slower_model_puts_a_question_near_its_passage() -> None:
    embedder = E5Embedder()
    right, wrong = await embedder.embed_documents(["年付套餐可以退款。", "明天多云转晴。"])
    asked = await embedder.embed_query("Can I get my money back?")
    assert len(asked) == await embedder.dimensions()
    assert np.dot(asked, right) > np.dot(asked, wrong)


async def test_words_are_embedded_once_and_kept_for_other_processes(pool: Pool) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    await Vocabulary(pool, first).learn(["zebra", "okapi", "zebra"])
    assert sorted(first.embedded) == ["okapi", "zebra"]
    later = Vocabulary(pool, second)
    vectors = await later.vectors(["zebra", "quagga"], keep=False)
    assert second.embedded == ["quagga"]
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
    assert await Vocabulary(pool, third := CountingEmbedder()).vectors(["quagga"], keep=False) is not None
    assert third.embedded == ["quagga"]  # a word of a question is not kept


async def test_a_passage_is_found_before_and_after_the_slower_model_saw_it(
    knowledge: Knowledge, folder: Path
) -> None:
    await ingest(knowledge, folder, "stages")
    before = await search(knowledge, "换个电话号码", collection="stages")
    steps: list[tuple[int, int]] = []
    assert await refine(knowledge, "stages", lambda done, total: steps.append((done, total))) == 3
    assert steps[-1] == (3, 3)
    assert await refine(knowledge, "stages") == 0
    after = await search(knowledge, "换个电话号码", collection="stages")
    assert before[0].doc_id == after[0].doc_id == "phone"
    assert before[0].score != after[0].score
    assert all(0 < passage.confidence < 1 for passage in [*before, *after])


async def test_only_a_changed_document_waits_for_the_slower_model(knowledge: Knowledge, folder: Path) -> None:
    await ingest(knowledge, folder, "changing")
    await refine(knowledge, "changing")
    (folder / "phone.md").write_text("# 更换手机号\n\n请联系客服更换。", "utf-8")
    await ingest(knowledge, folder, "changing")
    found = await find_collection(knowledge, "changing")
    ids = ["refund#1", "phone#1", "mail#1"]
    vector = await read_question(knowledge, "x")
    assert (await refined_scores(knowledge, found, ids, vector)).keys() == {"refund#1", "mail#1"}
    async with knowledge.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*)::int AS n FROM refined WHERE collection = %s", (found.id,)
        )
        assert await cursor.fetchone() == {"n": 2}
    assert await refine(knowledge, "changing") == 1


async def test_without_the_slower_model_words_alone_are_looked_at(pool: Pool, folder: Path) -> None:
    second = SecondStage(Vocabulary(pool, BundledEmbedder()), None)
    async with open_knowledge(pool, BundledEmbedder(), None, second) as knowledge:
        await ingest(knowledge, folder, "wordwise")
        assert await refine(knowledge, "wordwise") == 0
        assert (await search(knowledge, "钱能退回来吗", collection="wordwise"))[0].doc_id == "refund"


def test_what_was_looked_at_again_comes_first_and_one_that_was_not_refined_counts_as_the_mean() -> None:
    ranking = [(candidate(key), score) for key, score in (("a", 0.5), ("b", 0.4), ("c", 0.3), ("d", 0.2))]
    looks = {
        "a": {"meaning": 0.2, "refined": 0.80},
        "b": {"meaning": 0.2, "refined": 0.90},
        "c": {"meaning": 0.2},
    }
    ordered = rescored(ranking, looks)
    assert [each.id for each, _ in ordered] == ["b", "c", "a", "d"]
    assert rescored(ranking, {}) == ranking


def test_an_article_that_has_a_passage_already_makes_room_for_others() -> None:
    one, two, three = (replace(candidate(key), doc_id="long") for key in "abc")
    other = candidate("d")
    ranking = [(one, 0.50), (two, 0.48), (three, 0.46), (other, 0.45)]
    ordered = rescored(ranking, {})
    assert [each.id for each, _ in ordered] == ["a", "d", "b", "c"]
    assert ordered[2][1] == pytest.approx(0.48 - REPEATED)
