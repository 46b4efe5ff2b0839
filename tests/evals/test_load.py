import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evals.load import load
from store.settings import Settings
from tests.graph.dev_server import free_port


def test_a_worker_that_is_killed_loses_no_acknowledged_turn_and_runs_none_twice(
    config: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    app = typer.Typer()
    app.command()(load)
    options = {"turns": 12, "threads": 4, "kills": 1, "port": free_port(), "logs": tmp_path}
    done = CliRunner().invoke(
        app, [part for name, value in options.items() for part in (f"--{name}", str(value))]
    )
    report = json.loads(done.stdout)
    assert config.database_url
    assert (report["acknowledged"], report["kills"]) == (12, 1)
    assert [report[name] for name in ("lost", "doubled", "unanswered", "forks")] == [0, 0, 0, 0]
