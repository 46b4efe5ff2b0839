from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evals import pollution, window
from evals.__main__ import SUITES, app
from evals.suite import Options, Result

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
        app, ["run", "window", "--json", str(tmp_path / "r.json"), "--out", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.stdout
    assert '"rate"' in (tmp_path / "r.json").read_text()
    assert "<svg" in (tmp_path / "out" / "report.html").read_text()


def test_a_broken_bound_makes_the_run_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, broken=["rate = 0.5, bound >= 0.9"])
    done = CliRunner().invoke(app, ["run", "window"])
    assert done.exit_code == 1
    assert "bound broken" in done.stdout


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
