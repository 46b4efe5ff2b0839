import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from evals.durability import durability
from store import jobs
from store.settings import Settings


@pytest.mark.timeout(900)
def test_workers_that_are_stopped_at_drawn_steps_lose_nothing_and_read_nothing_twice(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setattr(
        jobs, "STALLED_SECONDS", 1
    )  # how long the run waits before it takes a worker for dead
    app = typer.Typer()
    app.command()(durability)
    options = {"turns": 6, "times": 1, "steps": 2, "users": 2, "threads": 5, "races": 4}
    done = CliRunner().invoke(
        app, [part for name, value in options.items() for part in (f"--{name}", str(value))]
    )
    report = json.loads(done.stdout)
    assert config.database_url
    assert (report["steps"], report["turns"] >= 6) == (2, True)
    assert (report["kills"], report["fewest"]) == ({"SIGKILL": 2, "SIGTERM": 2}, 1)
    assert report["races"] == {"run": 4, "met": report["races"]["met"], "resurrected": 0, "unread": 0}
    wrong = ("lost", "doubled", "waiting", "aside")
    assert {name: report[name] for name in wrong} == dict.fromkeys(wrong, 0)
