"""The measures of retrieval on examples worked by hand, and the suites on a small corpus."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from evals import chunking, retrieval
from evals.corpora import DATA, SAMPLE, Corpus, load_corpora, load_corpus, said_before, tuning_corpora
from evals.jsonl import DataError
from evals.ranking import auroc, both_parts, figures, first_rank, reliability, row
from evals.relevance import Gold, Piece, gold, has_facts, is_section
from evals.report import html
from evals.searches import Seen
from evals.suite import Options
from store.embedding import BundledEmbedder
from store.errors import IngestError
from store.knowledge import open_knowledge
from store.postgres import Pool
from store.settings import Settings

BODY = "# 退款\n\n## 年付\n\n年付订单按剩余整月数比例退款，不足一个月的部分不计。\n\n## 月付\n\n月付订单中途不能退款，已付的当月费用也不退。\n"


def question(**more: object) -> dict[str, object]:
    return {"id": "q", "gold": [{"path": "a.md", "heading": "年付", "part": 1}], "must_contain": []} | more


def test_a_piece_is_of_a_section_if_half_of_the_shorter_one_is_in_the_other() -> None:
    (wanted,) = gold(question(), {"a.md": BODY})
    assert is_section(Piece("a.md", "年付订单按剩余整月数比例退款"), wanted)
    assert is_section(Piece("a.md", BODY), wanted)
    assert not is_section(Piece("a.md", "月付订单中途不能退款，已付的当月费用也不退。"), wanted)
    assert not is_section(Piece("b.md", BODY), wanted)


def test_a_label_that_points_nowhere_is_named() -> None:
    with pytest.raises(DataError, match=r"question 'q': 'a\.md' has no section '季付'"):
        gold(question(gold=[{"path": "a.md", "heading": "季付"}]), {"a.md": BODY})


def test_an_anchor_behind_a_heading_is_no_part_of_its_name() -> None:
    (wanted,) = gold(question(), {"a.md": BODY.replace("## 年付", "## 年付 {#yearly}")})
    assert "剩余整月数" in wanted.text


def test_a_heading_is_told_from_its_namesake_by_its_parent() -> None:
    body = "# A\n\n## Docker\n\nfirst text of this\n\n# B\n\n## Docker\n\nsecond text of this\n"
    (wanted,) = gold(question(gold=[{"path": "a.md", "heading": "Docker", "under": "B"}]), {"a.md": body})
    assert "second" in wanted.text


def test_facts_must_stand_within_the_budget() -> None:
    asked = question(question="退多少", must_contain=["整月|自然月", "比例"])
    late = [Piece("a.md", "x" * 3_000), Piece("a.md", "整月 比例")]
    assert has_facts([Piece("a.md", "按剩余整 月数比例退款")], asked)
    assert not has_facts(late, asked)
    assert has_facts(late, asked | {"lang": "en"})
    assert has_facts(late, asked | {"question": "How much is refunded?"}), (
        "the budget is that of its language"
    )


def test_ranks_and_figures_by_hand() -> None:
    wanted = [Gold("a.md", "", 1), Gold("b.md", "", 2)]
    pieces = [Piece("x.md", "x"), Piece("b.md", "b"), Piece("a.md", "a")]
    assert first_rank(pieces, wanted, is_section) == 2
    rows = [row(question(), pieces, wanted), row(question(), pieces[:1], wanted)]
    found = figures(rows)
    assert (found["art@1"]["value"], found["art@3"]["value"], found["sec_mrr@10"]["value"]) == (0, 0.5, 0.25)
    assert "fact" not in found
    assert both_parts(rows)["value"] == 0.5


def test_the_area_under_the_curve_by_hand() -> None:
    assert auroc([0.9, 0.4], [0.5, 0.1]) == 0.75
    assert auroc([0.5], [0.5]) == 0.5


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.md").write_text(BODY, "utf-8")
    (folder / "b.md").write_text("# 更换手机号\n\n在安全中心验证旧号后更换，一天只能换一次。\n", "utf-8")
    talk = [["user", "年付能退款吗"], ["assistant", "可以，按剩余整月数。"]]
    lines = [
        question(id="1", question="年付能退多少", kind="single", must_contain=["整月"], lang="zh"),
        question(id="2", question="怎么修发动机", kind="unanswerable", gold=[]),
        question(id="3", question="谢谢", kind="chitchat", gold=[]),
        question(
            id="4", question="那月付的呢", kind="followup", history=talk, standalone="月付能退款吗",
            gold=[{"path": "a.md", "heading": "月付"}],
        ),
        question(
            id="5", question="年付能退款吗？怎么换手机号？", kind="multi",
            gold=[{"path": "a.md", "heading": "年付", "part": 1}, {"path": "b.md", "heading": "", "part": 2}],
        ),
        question(id="6", question="别的", kind="single", corpus="another"),
    ]  # fmt: skip
    data = tmp_path / "questions.jsonl"
    data.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    return load_corpus(folder, data)


@pytest.fixture
async def retrieved(corpus: Corpus, pool: Pool, config: Settings) -> AsyncIterator[dict[str, object]]:
    async with open_knowledge(pool, BundledEmbedder()) as knowledge:
        yield await retrieval.run(knowledge, Options(config), [corpus], "small")


async def test_the_retrieval_suite_measures_every_kind_of_question(retrieved: dict[str, object]) -> None:
    metrics = retrieved["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["hybrid.art@3"]["value"] == 1.0
    assert metrics["default.fact"] == metrics["hybrid.fact"]
    assert metrics["smalltalk_no_retrieval"]["value"] == 1.0
    assert metrics["followup.art@1"]["n"] == 1
    assert metrics["multi.both@5"]["value"] == 1.0
    assert set(retrieval.BOUNDS) | {"auroc_answerable", "search_p95_ms", "embed_p50_ms"} <= metrics.keys()
    baselines = retrieved["baselines"]
    assert isinstance(baselines, dict)
    assert baselines["ts_rank"]["default.art@3"] == baselines["bm25"]["default.art@3"] == 1.0
    assert baselines["PGVectorStore hybrid"]["search_p95_ms"] > 0
    page = html([retrieved])
    assert page.startswith("<!doctype html>")
    assert "hybrid.art@3" in page


async def test_the_chunking_suite_measures_four_splitters_on_the_same_ranking(corpus: Corpus) -> None:
    found = await chunking.run(BundledEmbedder(), [corpus], "small")
    assert len(found["baselines"]) == 3
    assert found["metrics"]["art@1"]["n"] == 2
    assert {each["splitter"] for each in found["rows"]} == set(chunking.SPLITTERS)


def test_a_corpus_without_questions_is_refused_by_name(tmp_path: Path) -> None:
    data = tmp_path / "q.jsonl"
    asked = question(question="?", kind="single", corpus="elsewhere")
    data.write_text(json.dumps(asked), "utf-8")
    with pytest.raises(DataError, match=rf"no question to the corpus '{tmp_path.name}', only to elsewhere"):
        load_corpus(tmp_path, data)


def test_small_talk_that_is_searched_for_and_confidence_in_the_wrong_place_are_counted() -> None:
    talk: list[dict[str, object]] = [{"way": "chitchat", "direct": yes} for yes in (True, False)]
    seen = Seen(rows=talk, sure=[0.99, 0.01, 0.99, 0.99], unsure=[0.99, 0.01])
    assert retrieval._product(seen)["smalltalk_no_retrieval"]["value"] == 0.5
    found = retrieval._confidence(seen)
    assert (found["needless_escalation"]["value"], found["missed_unanswerable"]["value"]) == (0.25, 0.5)


def test_reliability_by_hand() -> None:
    """Of the lower half one in two cases has an answer, of the upper half each."""
    low, high = reliability([0.2, 0.8, 0.9], [0.1], bins=2)
    assert low == pytest.approx((0.15, 0.25))
    assert high == pytest.approx((0.85, 1.0))


def test_a_folder_of_help_centres_is_read_as_one_data_set(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(BODY, "utf-8")
        asked = question(id=name, question=f"{name}?", kind="single")
        (tmp_path / f"{name}.questions.jsonl").write_text(json.dumps(asked, ensure_ascii=False), "utf-8")
    corpora, files = load_corpora(tmp_path, tmp_path / "unused.jsonl")
    assert [corpus.folder.name for corpus in corpora] == ["one", "two"]
    assert len(files) == 2


def test_a_history_is_told_by_role_or_in_turn() -> None:
    told = said_before({"history": [["user", "a"], ["assistant", "b"]]})
    assert [(each.type, each.text) for each in told] == [("human", "a"), ("ai", "b")]
    assert said_before({"history": ["a", "b"]}) == told
    assert said_before({}) == []


def test_the_tuning_questions_are_shown_beside_others_over_the_same_articles() -> None:
    sample = load_corpus()
    assert tuning_corpora(sample) == []  # they are the ones asked
    mine = Corpus(sample.folder, sample.documents, [question(question="另一个问题", kind="single")])
    assert len(tuning_corpora(mine)[0].questions) > 100
    elsewhere = Corpus(sample.folder, [], mine.questions)
    assert tuning_corpora(elsewhere) == []


def test_only_what_nobody_tuned_to_is_asked_where_a_split_is_marked() -> None:
    (corpus,), _ = load_corpora(SAMPLE, DATA)
    assert {each["split"] for each in corpus.questions} == {"test"}
    assert sum(len(gold(each, corpus.bodies)) > 0 for each in corpus.questions) >= 40
    (tuned,) = tuning_corpora(corpus)
    assert {each["split"] for each in tuned.questions} == {"dev"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"kind": None}, r"q\.jsonl, line 2, 'kind' must be one of single, .*, not None"),
        ({"kind": "triple"}, r"line 2, 'kind' must be one of single, .*, not 'triple'"),
        ({"id": 7}, r"line 2, 'id' must be text, not 7"),
        ({"lang": "ja"}, r"line 2, 'lang' must be one of zh, en, not 'ja'"),
        ({"must_contain": "整月"}, r"line 2, 'must_contain' must be a list"),
        ({"gold": ["a.md"]}, r"line 2, 'gold' 1 must be an object"),
        ({"gold": [{"path": "a.md"}]}, r"line 2, 'gold' 1: 'heading' is missing"),
        ({"gold": [{"path": "kb-404", "heading": ""}]}, r"question 'q': there is no article 'kb-404' in the corpus.* 'a\.md'"),
        ({"gold": []}, r"question 'q': 'gold' names no section"),
        ({"history": [["user"]]}, r"question 'q': 'history' must hold texts, or pairs"),
    ],
)  # fmt: skip
def test_questions_that_cannot_be_asked_or_judged_are_refused_before_any_work(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.md").write_text(BODY, "utf-8")
    right = question(question="年付能退多少", kind="single")
    data = tmp_path / "q.jsonl"
    data.write_text(
        "\n".join(json.dumps(one, ensure_ascii=False) for one in (right, right | changed)), "utf-8"
    )
    with pytest.raises(DataError, match=said):
        load_corpora(tmp_path / "c", data)


def test_a_folder_without_articles_is_named(tmp_path: Path) -> None:
    data = tmp_path / "q.jsonl"
    data.write_text(json.dumps(question(question="?", kind="single")), "utf-8")
    (tmp_path / "c").mkdir()
    with pytest.raises(DataError, match="c holds no article"):
        load_corpus(tmp_path / "c", data)
    with pytest.raises(IngestError, match="Name the folder"):
        load_corpus(tmp_path / "d", data)
