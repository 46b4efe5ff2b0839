import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evals import __main__ as main
from evals import pollution, window
from evals.__main__ import SUITES, app
from evals.runs import measured
from evals.suite import Bounds, Options, Result
from store.settings import load_settings

FOUND: dict[str, Any] = {
    "suite": "window",
    "n": 1,
    "model": "none",
    "embedding": "none",
    "dataset": "small",
    "revision": "abc",
    "metrics": {"rate": {"value": 0.5, "low": 0.1, "high": 0.9, "n": 2}, "ms": {"value": 3.0, "low": None, "high": None, "n": 2}},
    "baselines": {"other": {"rate": 0.4}},
    "broken": [],
    "rows": [],
}  # fmt: skip


def stand_in(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    async def measure(_: Options) -> Result:
        return FOUND | changes

    monkeypatch.setattr(window, "measure", measure)


def test_the_suites_are_listed() -> None:
    shown = CliRunner().invoke(app, ["list"]).stdout
    assert all(name in shown for name in SUITES)


def test_a_run_writes_its_result_and_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch)
    done = CliRunner().invoke(
        app, ["run", "window", "--json", str(tmp_path / "new" / "r.json"), "--out", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.stdout
    assert '"rate"' in (tmp_path / "new" / "r.json").read_text()
    assert "<svg" in (tmp_path / "out" / "report.html").read_text()


def test_a_broken_bound_makes_the_run_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, broken=["rate = 0.5, bound >= 0.9"])
    done = CliRunner().invoke(app, ["run", "window"])
    assert done.exit_code == 1
    assert "bound broken" in done.stdout


def test_on_data_of_ones_own_a_bound_is_shown_and_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, broken=["rate = 0.5, bound >= 0.9"])
    (tmp_path / "mine.jsonl").touch()
    done = CliRunner().invoke(app, ["run", "window", "--data", str(tmp_path / "mine.jsonl")])
    assert (done.exit_code, "bound broken" in done.stdout) == (0, True)


def own_data(folder: Path, *lines: dict[str, Any]) -> list[str]:
    """Return the command that asks these questions of a help centre with one article."""
    (folder / "centre").mkdir()
    (folder / "centre" / "a.md").write_text(
        "# Refunds\n\n## Yearly\n\nUnused months are refunded.\n", "utf-8"
    )
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return ["run", "retrieval", "--corpus", str(folder / "centre"), "--data", str(folder / "mine.jsonl")]


YEARLY = {
    "id": "1", "question": "Do I get money back for unused months?", "kind": "single",
    "gold": [{"path": "a.md", "heading": "Yearly"}],
}  # fmt: skip
THANKS = {"id": "2", "question": "thanks", "kind": "chitchat"}


def test_questions_of_ones_own_are_asked_of_ones_own_articles(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*own_data(tmp_path, YEARLY, THANKS), "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0, done.output
    metrics = json.loads((tmp_path / "r.json").read_text("utf-8"))["metrics"]
    assert (metrics["default.art@1"]["value"], metrics["default.art@1"]["n"]) == (1, 1)
    assert metrics["smalltalk_no_retrieval"]["n"] == 1


def test_data_that_ask_nothing_of_the_search_have_no_figures_of_it(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*own_data(tmp_path, THANKS), "--json", str(tmp_path / "r.json")])
    assert done.exit_code == 0, done.output
    metrics = json.loads((tmp_path / "r.json").read_text("utf-8"))["metrics"]
    assert "smalltalk_no_retrieval" in metrics
    assert not [name for name in metrics if "art@" in name or name.startswith("search_")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (YEARLY | {"gold": [{"path": "b.md", "heading": ""}]}, "there is no article 'b.md'"),
        (YEARLY | {"lang": "fr"}, "'lang' must be one of zh, en, not 'fr'"),
        ({"id": "1"}, "line 1: 'question' is missing"),
    ],
)
def test_data_that_cannot_be_asked_are_named_without_a_traceback(
    tmp_path: Path, line: dict[str, Any], said: str
) -> None:
    done = CliRunner().invoke(app, own_data(tmp_path, line))
    told = " ".join(done.output.split())
    assert done.exit_code == 1
    assert said in told
    assert "Failed: retrieval" in told
    assert "Traceback" not in told


@pytest.mark.parametrize("option", ["--data", "--corpus"])
def test_a_file_or_a_folder_that_is_not_there_is_refused_at_once(tmp_path: Path, option: str) -> None:
    done = CliRunner().invoke(app, ["run", "window", option, str(tmp_path / "missing")])
    assert done.exit_code == 2
    assert "does not exist" in " ".join(done.output.replace("│", " ").split())


def test_a_database_out_of_reach_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://127.0.0.1:9/none")
    done = CliRunner().invoke(app, ["run", "window"])
    assert done.exit_code == 1
    assert "Name a server in DATABASE_URL" in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_an_unknown_suite_is_answered_with_the_known_ones() -> None:
    done = CliRunner().invoke(app, ["run", "nothing"])
    assert done.exit_code == 2
    assert "retrieval" in done.stdout


def test_a_suite_that_fails_does_not_cost_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_: Options) -> Result:
        raise ValueError("no such dialogue")

    stand_in(monkeypatch)
    monkeypatch.setattr(pollution, "measure", fail)
    done = CliRunner().invoke(app, ["run", "pollution", "window", "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "no such dialogue" in done.stdout
    assert "Failed: pollution" in done.stdout
    assert (tmp_path / "window.json").exists()


def test_the_quick_tier_holds_floors_where_a_promise_is_not_kept_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    promised, reached = {"rate": (">=", 0.9)}, {"rate": (">=", 0.4)}
    found = asyncio.run(promise(monkeypatch, promised, reached, quick=True))
    assert (found["bounds"], found["broken"]) == ({"rate": ">= 0.4"}, [])
    found = asyncio.run(promise(monkeypatch, promised, {"rate": (">=", 0.6)}, quick=True))
    assert found["broken"] == ["rate = 0.5, bound >= 0.6"]
    assert asyncio.run(promise(monkeypatch, promised, reached, quick=False))["broken"] == [
        "as the suite says"
    ]


async def promise(monkeypatch: pytest.MonkeyPatch, bounds: Bounds, floors: Bounds, *, quick: bool) -> Result:
    stand_in(monkeypatch, broken=["as the suite says"])
    monkeypatch.setattr(window, "BOUNDS", bounds)
    monkeypatch.setattr(window, "FLOORS", floors, raising=False)
    return await measured("window", Options(load_settings(chat_model="offline"), quick=quick))


def test_made_pages_are_written_from_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, broken=["rate = 0.5, bound >= 0.9"])
    monkeypatch.setattr(main, "DOCS", tmp_path / "docs")
    (tmp_path / "docs").mkdir()
    CliRunner().invoke(app, ["run", "window", "--out", str(tmp_path / "out")])
    assert CliRunner().invoke(app, ["docs", "--results", str(tmp_path / "out")]).exit_code == 0
    page = (tmp_path / "docs" / "results.md").read_text("utf-8")
    assert "| `rate` | 0.5 | 0.1 to 0.9 | 2 |  | 0.4 |" in page
    assert "**Bound broken**: rate = 0.5, bound >= 0.9" in page
    assert "DATABASE_URL" in (tmp_path / "docs" / "settings.md").read_text("utf-8")
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing"):
        assert CliRunner().invoke(app, ["docs", "--results", str(tmp_path / folder)]).exit_code == 2
    assert (tmp_path / "docs" / "results.md").read_text("utf-8") == page, "a wrong name costs no results"
