import pytest

from evals.documents import DOCS
from evals.meanings import MEANINGS, glossary, meaning


@pytest.mark.parametrize(
    ("metric", "entry"),
    [
        ("bm25.art@1", "art@#"), ("default.art_mrr@10", "art_mrr@#"), ("f1.duplicate", "f#"),
        ("retention.oracle", "retention"), ("in_window.60.12000", "in_window"), ("cost_ratio@0.02", "cost_ratio@#"),
        ("chunks.search_p95_ratio_10k", "search_p#_ratio_#"), ("judge.groundedness", "judge.groundedness"),
        ("plan_ms_6000_p95", "plan_ms_#_p#"), ("number.wrong_caught", "wrong_caught"),
    ],
)  # fmt: skip
def test_a_variant_means_what_its_metric_means(metric: str, entry: str) -> None:
    assert meaning(metric) == MEANINGS[entry]


def test_what_nobody_wrote_down_has_no_meaning() -> None:
    assert meaning("nothing.like_it") == ""
    assert glossary(["nothing", "breaks", "breaks"]) == {"breaks": MEANINGS["breaks"]}


def test_every_metric_of_the_last_run_is_explained() -> None:
    rows = (DOCS / "results.md").read_text("utf-8").splitlines()
    named = [row.split("`")[1] for row in rows if row.startswith("| `")]
    assert named
    assert [name for name in named if not meaning(name)] == []
