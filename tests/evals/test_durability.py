import json
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
import typer
from typer.testing import CliRunner

from evals.durability import Report, durability
from evals.memory_scale import _memory
from evals.talk import Talk
from graph.support import open_support
from nodes.memory.outcomes import asked_topics
from store import jobs
from store.settings import Settings
from store.threads import Owner
from store.transfer import write_memories


async def test_what_was_not_read_and_what_was_read_twice_are_counted(config: Settings) -> None:
    owner = Owner("durability", uuid4().hex)
    said = [(owner, code, f"导入流水失败，报 {code}") for code in ("E1000", "E1001")]
    read = replace(_memory(0), slot="event.E1000")
    async with open_support(config) as support:
        memories = support.resources.memories
        await write_memories(memories, owner, [read, replace(read, id="again", text="又一次")])
        lost, doubled, aside, waiting = await Talk(support, [owner], said).outcome()
        assert await memories.of(owner, closed=True) == []
    topics = sum(len(asked_topics(text)) for _, _, text in said)
    assert (lost, doubled, aside, waiting) == (1 + topics, 1, 0, 0)
    assert not Report(turns=2, times=0, lost=lost).holds
    assert Report(turns=2, times=0).holds


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
