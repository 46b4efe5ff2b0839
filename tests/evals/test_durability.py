import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

import pytest
import typer
from typer.testing import CliRunner

import graph.worker
from evals import durability as durability_of
from evals import races
from evals.database import own_database
from evals.durability import Report, durability
from evals.memory_scale import _memory
from evals.races import Races, race
from evals.talk import Talk
from graph.support import open_support
from nodes.memory.outcomes import asked_topics
from store import jobs
from store.erasure import forget
from store.jobs import queue_reading
from store.memories import MemoryStore
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


async def test_what_was_put_aside_and_what_still_waits_are_counted(config: Settings) -> None:
    owner, thread = Owner("durability", uuid4().hex), str(uuid4())
    async with open_support(config) as support:
        pool, talk = support.resources.pool, Talk(support, [owner])
        await queue_reading(pool, thread, owner, seconds=3600)
        async with pool.connection() as connection:
            await connection.execute(
                "INSERT INTO memory_dead_letters (tenant, user_id, thread_id, answer) VALUES (%s, %s, %s, '?')",
                (owner.tenant, owner.user_id, thread),
            )
        assert await talk.outcome() == (0, 0, 1, 1)
        assert await talk.outcome() == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"lost": 1},
        {"doubled": 1},
        {"waiting": 1},
        {"aside": 1},
        {"fewest": 0},
        {"slowest_exit": 2.1},
        {"races": Races(resurrected=1)},
        {"races": Races(unread=1)},
    ],
    ids=str,
)
def test_a_run_holds_unless_one_thing_went_wrong(wrong: dict[str, Any]) -> None:
    right = Report(turns=2, times=1, fewest=1, races=Races(run=1, met=1))
    assert right.holds
    assert not replace(right, **wrong).holds


async def test_a_user_who_comes_back_after_being_forgotten_is_counted_with_and_without_the_threads(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def undone(store: MemoryStore, owner: Owner, *, threads: bool = False) -> None:
        await forget(store, owner, threads=threads)
        await write_memories(store, owner, [_memory(0)])

    monkeypatch.setattr(races, "running", lambda _: nullcontext())  # the worker runs in this process
    monkeypatch.setattr(graph.worker, "_POLL_SECONDS", 0.05)
    async with own_database(config.model_copy(update={"worker": True, "memory_pause": 0.0})) as configured:
        await durability_of._ingest_one_article(configured)
        async with open_support(configured) as support:
            honest = await race(support, "", races=2, deadline=monotonic() + 60)
            monkeypatch.setattr(races, "forget", undone)
            planted = await race(support, "", races=2, deadline=monotonic() + 60)
    assert (honest.run, honest.resurrected, honest.unread) == (2, 0, 0)
    assert (planted.run, planted.resurrected, planted.unread) == (2, 2, 0)


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
