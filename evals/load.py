"""Load: several plain workers on one Postgres, users who talk to all of them, and what is killed meanwhile.

A turn is acknowledged when its reply has arrived. A user whose request breaks off sends the same message again, with
the same id, to any worker. In the end every thread's log is read back (`evals.read_back`).
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Annotated
from uuid import uuid4

import httpx
import typer

from evals.database import own_database
from evals.intervals import percentile
from evals.read_back import TENANT, THREAD, Account, read_back
from evals.workers import OwnPostgres, Workers, own_postgres
from graph.support import open_support
from store.settings import load_settings

_QUESTIONS = (
    "年付套餐买错了能退款吗",
    "发票抬头写错了怎么改",
    "谢谢",
    "How many ledgers does the free plan have?",
)
_PATIENCE = 240.0
"""Seconds for which a user sends one message again: longer than a worker takes to start on a busy machine."""


@dataclass(slots=True)
class Report(Account):
    """What a run of the load gave."""

    workers: int
    threads: int
    turns: int
    acknowledged: int = 0
    sent_again: int = 0
    kills: int = 0
    crashes: int = 0
    seconds: float = 0.0
    turns_per_second: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    """Statuses of answers that were no reply, and how often they came."""


@dataclass(slots=True)
class _User:
    """One user with one thread, whose messages come one after the other."""

    name: str
    acknowledged: list[str] = field(default_factory=list)

    async def talk(self, load: "_Load", turns: int) -> None:
        for n in range(turns):
            if load.over:
                return
            message = str(uuid4())
            body = {"text": _QUESTIONS[n % len(_QUESTIONS)], "thread": THREAD, "message_id": message}
            began = perf_counter()
            if await self._send(load, body):
                self.acknowledged.append(message)
                load.times.append(perf_counter() - began)

    async def _send(self, load: "_Load", body: dict[str, str]) -> bool:
        deadline = perf_counter() + _PATIENCE
        while perf_counter() < deadline:
            try:
                answer = await load.http.post(
                    f"{random.choice(load.addresses)}/turns",  # noqa: S311 - no secret
                    json=body,
                    headers={"X-User": self.name, "X-Tenant": TENANT},
                )
                if answer.is_success:
                    return True
                code = str(answer.status_code)
            except httpx.TransportError as error:
                code = type(error).__name__
            load.report.refused[code] = load.report.refused.get(code, 0) + 1
            load.report.sent_again += 1
            await asyncio.sleep(0.3)
        return False


@dataclass(slots=True)
class _Load:
    """A run of the load."""

    report: Report
    http: httpx.AsyncClient
    addresses: list[str]
    until: float
    """When no more turns are begun."""
    times: list[float] = field(default_factory=list)
    """Seconds of each acknowledged turn, from the first attempt on."""

    @property
    def over(self) -> bool:
        return perf_counter() > self.until

    async def at_random(self, times: int, happen: Callable[[], Awaitable[None]], counted: str) -> None:
        """Let something happen when random numbers of turns are acknowledged; count it in the report."""
        for place in sorted(random.sample(range(1, self.report.turns), times)):
            while len(self.times) < place:
                if self.over:
                    return
                await asyncio.sleep(0.05)
            await happen()
            setattr(self.report, counted, getattr(self.report, counted) + 1)

    def summed_up(self, seconds: float) -> None:
        report, times = self.report, self.times
        report.seconds, report.acknowledged = round(seconds, 1), len(times)
        report.turns_per_second = round(len(times) / seconds, 1)
        if times:
            report.p50_ms, report.p95_ms = (round(percentile(times, share) * 1000) for share in (0.5, 0.95))


def load(
    turns: Annotated[int, typer.Option(min=2, help="Turns in all.")] = 200,
    threads: Annotated[int, typer.Option(min=1, help="Threads that are talked on at the same time.")] = 20,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 2,
    kills: Annotated[int, typer.Option(min=0, help="How often a worker is killed with -9 meanwhile.")] = 3,
    crashes: Annotated[
        int,
        typer.Option(min=0, help="How often Postgres crashes meanwhile; it is one of the run's own then."),
    ] = 0,
    minutes: Annotated[float, typer.Option(min=0.1, help="After these no more turns are begun.")] = 60,
    port: Annotated[int, typer.Option(help="Port of the first worker.")] = 4710,
    logs: Annotated[Path, typer.Option(help="Folder for the workers' output.")] = Path("evals/out/load"),
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result to this file.")] = None,
) -> None:
    """Put load on several workers, kill some of them, and count what was lost or done twice; exit code 1 if any."""
    report = Report(workers=workers, threads=threads, turns=-(-turns // threads) * threads)
    if max(kills, crashes) >= report.turns:
        raise typer.BadParameter(
            f"{report.turns} turns leave no room for {max(kills, crashes)} kills or crashes."
        )
    logs.mkdir(parents=True, exist_ok=True)
    asyncio.run(_run(report, kills, crashes, minutes, port, logs))
    result = json.dumps(asdict(report), indent=2)
    typer.echo(result)
    if json_file:
        json_file.write_text(result, "utf-8")
    if not report.fine or not report.acknowledged:
        raise typer.Exit(1)


async def _run(report: Report, kills: int, crashes: int, minutes: float, port: int, logs: Path) -> None:
    users = [_User(f"{uuid4().hex[:8]}-{n}") for n in range(report.threads)]
    async with (
        _database(own=crashes > 0) as (url, postgres),
        _client() as http,
        open_support(load_settings(worker=False, database_url=url)) as support,
    ):
        workers = Workers(report.workers, port, url, logs)
        async with workers.started(http):
            run = _Load(report, http, workers.addresses(), perf_counter() + minutes * 60)
            harm = [run.at_random(kills, workers.kill_one, "kills")]
            harm += [run.at_random(crashes, postgres.crash, "crashes")] if postgres else []
            await _drive(run, users, harm)
        await read_back(support, {user.name: user.acknowledged for user in users}, report)


async def _drive(run: _Load, users: list[_User], harm: Sequence[Awaitable[None]]) -> None:
    began, share = perf_counter(), run.report.turns // len(users)

    async def talk() -> None:
        await asyncio.gather(*(user.talk(run, share) for user in users))
        run.summed_up(perf_counter() - began)
        run.until = 0.0

    await asyncio.gather(talk(), *harm)


@asynccontextmanager
async def _database(*, own: bool) -> AsyncIterator[tuple[str, OwnPostgres | None]]:
    if not own:
        async with own_database(load_settings()) as configured:
            yield str(configured.database_url), None
        return
    async with own_postgres() as postgres:
        yield postgres.url, postgres


@asynccontextmanager
async def _client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=_PATIENCE, limits=httpx.Limits(max_connections=500)) as http:
        yield http


if __name__ == "__main__":
    typer.run(load)
