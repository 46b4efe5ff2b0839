"""Durability of the memory writer: workers that are killed or told to stop at every step, and what becomes of the turns.

A step is a statement that a worker sends to Postgres, for nothing else that it does outlives it. A worker is the command
``supportpilot worker`` in a process of its own, which at its step sends itself the signal. Meanwhile users talk; every
turn tells of an error with a code of its own. In the end one worker that nobody stops reads what is unread, and each
code must be remembered once, each topic be counted once a turn, and nothing may wait or lie aside.
"""

import asyncio
import json
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from time import monotonic, perf_counter
from typing import Annotated, LiteralString
from uuid import uuid4

import typer

from evals import stopped_worker
from evals.database import own_database
from evals.races import resurrected
from graph.support import Support, open_support
from graph.worker import drain
from nodes.memory.outcomes import asked_topics
from nodes.state import Context
from store import jobs
from store.erasure import forget
from store.memory import owner_key
from store.settings import load_settings
from store.threads import Owner
from store.transfer import topic_counts

_SIGNALS = (signal.SIGKILL, signal.SIGTERM)
_EXIT_SECONDS = 2.0
_PATIENCE = 30.0
"""Seconds in which a worker has to come to its step; else another one is sent there."""
_IDLE_SECONDS = 5.0
_PAUSE = 3.0
"""Seconds after which the users go on talking if a worker has not come to its step."""
_FIRST_CODE = 1_000
_AT_ONCE = 2
_WAITING: LiteralString = "SELECT count(*) AS n FROM procrastinate_jobs WHERE args->>'owner' = ANY(%s)"
_ASIDE: LiteralString = "SELECT count(*) AS n FROM memory_dead_letters WHERE user_id = ANY(%s)"
_processes = get_context("forkserver")


@dataclass(slots=True)
class Report:
    """What a run gave.

    Attributes:
        steps: statements of a worker at which it was stopped.
        kills: how often a worker was stopped, by signal.
        fewest: how often at the least, over steps and signals.
        unreached: workers that never came to their step.
        lost: turns of which something is missing, in the end.
        doubled: what is there more than once.
        waiting: jobs that are left.
        aside: answers that were put aside as unreadable.
        slowest_exit: seconds from SIGTERM to the end of the process.
        races: users who were forgotten while a thread of theirs was read.
        resurrected: those of whom something is left.
    """

    turns: int
    steps: int = 0
    kills: dict[str, int] = field(default_factory=dict)
    fewest: int = 0
    unreached: int = 0
    lost: int = 0
    doubled: int = 0
    waiting: int = 0
    aside: int = 0
    slowest_exit: float = 0.0
    races: int = 0
    resurrected: int = 0
    seconds: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether nothing was lost or done twice, and every worker ended in time."""
        wrong = self.lost or self.doubled or self.waiting or self.aside or self.resurrected
        return not wrong and self.slowest_exit <= _EXIT_SECONDS


@dataclass(slots=True)
class _Talk:
    """Users who talk, each turn with a code of its own."""

    support: Support
    owners: Sequence[Owner]
    said: list[tuple[Owner, str, str]] = field(default_factory=list)
    """Owner, code and text of each turn that was answered."""

    async def go_on(self, threads: int) -> None:
        """Say the next turn, on the next thread of the next user."""
        place = len(self.said)
        code = f"E{_FIRST_CODE + place}"
        owner, thread = self.owners[place % len(self.owners)], place // len(self.owners) % threads
        said = (owner, code, f"导入流水失败，报 {code}")
        self.said.append(said)
        await self.support.ask(
            said[2], thread=f"t{thread}", context=Context(user_id=owner.user_id, tenant=owner.tenant)
        )

    async def check(self, report: Report) -> None:
        """Count what is missing and what is there twice, then forget the users."""
        for owner in self.owners:
            codes = [code for who, code, _ in self.said if who == owner]
            topics = Counter(t for who, _, text in self.said if who == owner for t in asked_topics(text))
            memories = self.support.resources.memories
            kept = Counter(memory.slot for memory in await memories.of(owner, closed=True))
            counted = Counter(await topic_counts(memories, owner))
            report.lost += sum(not kept[f"event.{code}"] for code in codes) + (topics - counted).total()
            report.doubled += kept.total() - len(kept) + (counted - topics).total()
            report.aside += await self._count(_ASIDE, [owner.user_id])
        report.waiting = await self.waiting()
        for owner in self.owners:
            await forget(self.support.resources.memories, owner, threads=True)

    async def waiting(self) -> int:
        """Return how many jobs of these users there are."""
        keys = [owner_key(owner) for owner in self.owners]
        return await self._count(_WAITING, keys)

    async def read(self) -> None:
        """Wait until no job of these users is left."""
        while await self.waiting():  # noqa: ASYNC110 - another process, no event tells
            await asyncio.sleep(0.1)

    async def _count(self, query: LiteralString, values: Sequence[str]) -> int:
        async with self.support.resources.pool.connection() as connection:
            cursor = await connection.execute(query, (values,))
            row = await cursor.fetchone()
        return int(row["n"]) if row else 0


def durability(
    turns: Annotated[int, typer.Option(min=1, help="Turns in all, at least.")] = 1_000,
    times: Annotated[
        int, typer.Option(min=1, help="How often a worker is stopped at a step, by each signal.")
    ] = 20,
    steps: Annotated[int, typer.Option(min=0, help="Stop at so many steps, drawn; 0: at all.")] = 0,
    users: Annotated[int, typer.Option(min=1, help="Users who talk.")] = 10,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each.")] = 10,
    races: Annotated[int, typer.Option(min=0, help="Users who are forgotten while they are read.")] = 1_000,
) -> None:
    """Stop workers at every step of reading threads for memories; exit code 1 if a turn is lost or read twice."""
    report = asyncio.run(_run(Report(turns, races=races), times, steps, users, threads))
    typer.echo(json.dumps(asdict(report) | {"holds": report.holds}, indent=2))
    if not report.holds:
        raise typer.Exit(1)


async def _run(report: Report, times: int, drawn: int, users: int, threads: int) -> Report:
    began, run = perf_counter(), uuid4().hex[:8]
    _processes.set_forkserver_preload([stopped_worker.__name__])
    async with (
        own_database(load_settings(worker=False, memory_pause=0.0)) as configured,
        open_support(configured) as support,
    ):
        url = str(configured.database_url)
        talk = _Talk(support, [Owner("durability", f"{run}-{n}") for n in range(users)])
        found = await _steps(talk, url, threads)
        chosen = random.Random(run).sample(found, drawn) if drawn else found  # noqa: S311 - no secret
        report.steps = len(chosen)
        await _stop_everywhere(report, talk, url, [*product(chosen, _SIGNALS)] * times, threads)
        while len(talk.said) < report.turns:
            await talk.go_on(threads)
        report.turns = len(talk.said)
        await asyncio.sleep(jobs.STALLED_SECONDS + 1)  # until dead workers are known to be dead
        await drain(support.resources)
        await talk.check(report)
        report.resurrected = await resurrected(support, races=report.races)
    report.seconds = round(perf_counter() - began, 1)
    return report


async def _stop_everywhere(
    report: Report, talk: _Talk, url: str, kills: Sequence[tuple[str, signal.Signals]], threads: int
) -> None:
    """Send a worker to each of these steps, two at a time, a new turn before each."""
    done: Counter[tuple[str, signal.Signals]] = Counter(dict.fromkeys(kills, 0))
    queue = [*kills]

    async def go_on() -> None:
        while queue:
            step, number = queue.pop()
            await talk.go_on(threads)
            stopping = asyncio.create_task(asyncio.to_thread(_stopped, url, step, number))
            while not (await asyncio.wait([stopping], timeout=_PAUSE))[0]:
                await talk.go_on(threads)  # the other worker has read what this one was to
            took = stopping.result()
            if took is None:
                report.unreached += 1
                continue
            done[step, number] += 1
            if number is signal.SIGTERM:
                report.slowest_exit = max(report.slowest_exit, round(took, 3))

    await asyncio.gather(*(go_on() for _ in range(_AT_ONCE)))
    report.fewest = min(done.values())
    report.kills = {one.name: sum(n for (_, by), n in done.items() if by is one) for one in _SIGNALS}


def _stopped(url: str, step: str, number: signal.Signals) -> float | None:
    """Run a worker that is stopped at a step; seconds from the signal to its end, nothing if it never got there."""
    ours, theirs = _processes.Pipe(duplex=False)
    process = _processes.Process(target=stopped_worker.run, args=(url, step, number, theirs))
    process.start()
    theirs.close()
    try:
        sent: float | None = ours.recv() if ours.poll(_PATIENCE) else None
        _ended(process, _PATIENCE if sent else 0.0)
    finally:
        ours.close()
    return None if sent is None else monotonic() - sent


def _ended(process: BaseProcess, seconds: float) -> None:
    """Wait for a process to end; kill it when it does not."""
    process.join(seconds)
    if process.is_alive():
        process.kill()
        process.join()


async def _steps(talk: _Talk, url: str, threads: int) -> list[str]:
    """Return the statements that a worker sends because there is a thread to read: those of an idle one left out."""
    idle = await _watched(url, partial(asyncio.sleep, _IDLE_SECONDS))
    await talk.go_on(threads)
    return [step for step in await _watched(url, talk.read) if step not in idle]


async def _watched(url: str, until: Callable[[], Awaitable[None]]) -> list[str]:
    """Return the statements of a worker that runs until something has come about, each once."""
    ours, theirs = _processes.Pipe(duplex=False)
    process = _processes.Process(target=stopped_worker.run, args=(url, "", signal.SIGTERM, theirs))
    process.start()
    theirs.close()
    try:
        async with asyncio.timeout(4 * _PATIENCE):
            await until()
    finally:
        process.terminate()
        await asyncio.to_thread(_ended, process, _PATIENCE)
    found: dict[str, None] = {}
    with ours, suppress(EOFError):
        while True:
            found[ours.recv()] = None
    return [*found]


if __name__ == "__main__":
    typer.run(durability)
