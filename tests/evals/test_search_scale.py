"""The suite that times searches as a collection grows, at sizes that take no time."""

import pytest

from evals import search_scale
from evals.corpora import load_corpus
from evals.plain import PLAIN
from store.e5 import E5Embedder
from store.embedding import BundledEmbedder
from store.knowledge import list_collections, open_knowledge
from store.postgres import Pool
from store.search import MODES
from store.second_stage import SecondStage
from store.vocabulary import Vocabulary


async def test_every_mode_is_timed_beside_the_baseline_and_nothing_is_left_behind(pool: Pool) -> None:
    second = SecondStage(Vocabulary(pool, BundledEmbedder()), E5Embedder())
    async with open_knowledge(pool, BundledEmbedder(), None, second) as knowledge:
        before = {each.name for each in await list_collections(knowledge)}
        rows = await search_scale._timed(knowledge, load_corpus(), ["怎么退款", "发票怎么开"], 50, "50")
        assert {each.name for each in await list_collections(knowledge)} == before
    assert [row["way"] for row in rows] == [*MODES, PLAIN]
    assert all(0 < row["p50_ms"] <= row["p95_ms"] for row in rows)
    metrics = search_scale._metrics(rows, 2)
    ours, plain = rows[MODES.index("rerank")], rows[-1]
    assert metrics["chunks.search_p95_ratio_50"]["value"] == pytest.approx(
        ours["p95_ms"] / plain["p95_ms"], abs=1e-3
    )
