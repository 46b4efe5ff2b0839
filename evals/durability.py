"""Durability of the memory writer: workers that are killed or told to stop at every step, and what becomes of the turns.

A step is a statement that a worker sends to Postgres for a reading (`evals.stopped_worker`). Meanwhile users talk; every
turn tells of an error with a code of its own. In the end one worker that nobody stops reads what is unread, and each
code must be remembered once, each topic be counted once a turn, and nothing may wait or lie aside.
"""

import asyncio
import json
import random
import signal
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter
from typing import Annotated
from uuid import uuid4

import typer

from evals import stopped_worker
from evals.database import own_database
from evals.races import Races, race
from evals.talk import READ_SECONDS, Talk
from graph.support import open_knowledge_only, open_support
from graph.worker import drain
from store import jobs
from store.ingest import ingest
from store.refinement import refine
from store.settings import Settings, load_settings
from store.threads import Owner

_SIGNALS = (signal.SIGKILL, signal.SIGTERM)
_EXIT_SECONDS = 2.0
_PAUSE = 3.0
"""Seconds after which the users go on talking if a worker has not come to its step."""
_AT_ONCE = 3
_ARTICLE = "# 导入流水\n\n导入失败时，请把文件另存为 UTF-8 编码的 CSV，再导入一次。\n"


@dataclass(slots=True)
class Report:
    """What a run gave.

    Attributes:
        turns: what users said.
        steps: statements of a worker at which it was stopped.
        times: how often it was to be stopped at each, by each signal.
        kills: how often a worker was stopped, by signal.
        fewest: how often at the least, over steps and signals.
        unreached: workers that did not come to their step in time; others were sent there.
        lost: turns of which something is missing, in the end.
        doubled: what is there more than once.
        waiting: jobs that are left.
        aside: answers that were put aside as unreadable.
        slowest_exit: seconds from SIGTERM to the end of the process.
        races: users who were forgotten while a worker read a thread of theirs.
    """

    turns: int
    times: int
    steps: int = 0
    kills: dict[str, int] = field(default_factory=dict)
    fewest: int = 0
    unreached: int = 0
    lost: int = 0
    doubled: int = 0
    waiting: int = 0
    aside: int = 0
    slowest_exit: float = 0.0
    races: Races = field(default_factory=Races)
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing was lost or done twice, every worker ended in time, and nothing came back."""
        wrong = self.lost or self.doubled or self.waiting or self.aside or self.races.resurrected
        done = self.fewest >= self.times and not self.races.unread
        return done and not wrong and self.slowest_exit <= _EXIT_SECONDS


def durability(
    turns: Annotated[int, typer.Option(min=1, help="Turns in all, at least.")] = 1_000,
    times: Annotated[
        int, typer.Option(min=1, help="How often a worker is stopped at a step, by each signal.")
    ] = 20,
    steps: Annotated[int, typer.Option(min=0, help="Stop at so many steps, drawn; 0: at all.")] = 0,
    users: Annotated[int, typer.Option(min=1, help="Users who talk.")] = 10,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each.")] = 10,
    races: Annotated[int, typer.Option(min=0, help="Users who are forgotten while they are read.")] = 1_000,
    minutes: Annotated[float, typer.Option(help="No worker is stopped, no race begun after that.")] = 40.0,
) -> None:
    """Stop workers at every step of reading threads for memories; exit code 1 if a turn is lost or read twice, or too few were stopped."""
    report = asyncio.run(_run(Report(turns, times), steps, users, threads, races, monotonic() + 60 * minutes))
    typer.echo(json.dumps(asdict(report) | {"holds": report.holds}, indent=2))
    if not report.holds:
        raise typer.Exit(1)


async def _run(report: Report, drawn: int, users: int, threads: int, races: int, deadline: float) -> Report:
    began = perf_counter()
    async with own_database(load_settings(worker=False, memory_pause=0.0)) as configured:
        await _ingest_one_article(configured)
        async with open_support(configured) as support:
            url, run = str(configured.database_url), uuid4().hex[:8]
            report.races = await race(support, url, races=races, deadline=deadline)
            talk = Talk(support, [Owner("durability", f"{run}-{n}") for n in range(users)])
            found = await _steps(talk, url)
            chosen = random.Random(run).sample(found, drawn) if drawn else found  # noqa: S311 - no secret
            report.steps = len(chosen)
            await _stop_everywhere(report, talk, url, chosen, threads, deadline)
            while len(talk.said) < report.turns and monotonic() < deadline:
                await talk.go_on(threads)
            report.turns = len(talk.said)
            await asyncio.sleep(jobs.STALLED_SECONDS + 1)  # until dead workers are known to be dead
            await drain(support.resources)
            report.lost, report.doubled, report.aside, report.waiting = await talk.outcome()
    report.seconds = round(perf_counter() - began, 1)
    return report


async def _ingest_one_article(configured: Settings) -> None:
    """Have one article in place of the sample, and refine it: every worker would begin with what is left to refine."""
    with TemporaryDirectory() as folder:
        await asyncio.to_thread(Path(folder, "import.md").write_text, _ARTICLE, "utf-8")
        async with open_knowledge_only(configured) as opened:
            await ingest(opened.knowledge, Path(folder), "durability")
            await refine(opened.knowledge)


async def _stop_everywhere(
    report: Report, talk: Talk, url: str, steps: Sequence[str], threads: int, deadline: float
) -> None:
    """Send workers to each of these steps, some at a time, a new turn before each; who does not get there is followed."""
    kills = [*product(steps, _SIGNALS)]
    done, queue = Counter(dict.fromkeys(kills, 0)), deque(kills * report.times)

    async def go_on() -> None:
        while queue and monotonic() < deadline:
            step, number = queue.popleft()
            await talk.go_on(threads)
            stopping = asyncio.create_task(asyncio.to_thread(stopped_worker.stopped, url, step, number))
            while not (await asyncio.wait([stopping], timeout=_PAUSE))[0]:
                await talk.go_on(threads)  # another worker has read what this one was to
            took = stopping.result()
            if took is None:
                report.unreached += 1
                queue.append((step, number))
                continue
            done[step, number] += 1
            if number is signal.SIGTERM:
                report.slowest_exit = max(report.slowest_exit, round(took, 3))

    await asyncio.gather(*(go_on() for _ in range(_AT_ONCE)))
    report.fewest = min(done.values())
    report.kills = {one.name: sum(n for (_, by), n in done.items() if by is one) for one in _SIGNALS}


async def _steps(talk: Talk, url: str) -> list[str]:
    """Return the steps of a worker that reads a thread, and reads it again after a further turn."""
    with stopped_worker.running(url) as (process, told):
        for _ in range(2):
            for _ in talk.owners:
                await talk.go_on(threads=1)
            await talk.read()
        process.terminate()
        await asyncio.to_thread(process.join, READ_SECONDS)
        found: list[str] = []
        with suppress(EOFError):
            while told.poll():
                found.append(told.recv())
        return found


if __name__ == "__main__":
    typer.run(durability)
