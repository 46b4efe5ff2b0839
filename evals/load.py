"""Load: several plain workers on one Postgres, users who talk to all of them, and workers that are killed meanwhile.

A turn is acknowledged when its reply has arrived. A user whose request breaks off sends the same message again, with
the same id, to another worker. In the end every thread's log is read back: each acknowledged message must stand in
it once, with its answer behind it, and no checkpoint may have two successors, which is what two workers at once on a
thread leave behind.
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Annotated
from uuid import uuid4

import httpx
import typer
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.support import Support, open_support
from nodes.state import Context
from store.postgres import database_url
from store.settings import load_settings
from store.threads import Owner, thread_id

_QUESTIONS = (
    "年付套餐买错了能退款吗",
    "发票抬头写错了怎么改",
    "谢谢",
    "How many ledgers does the free plan have?",
)
_TENANT = "load"
_SECONDS_UP = 60.0
_PATIENCE = 90.0
"""Seconds for which a user sends one message again."""


@dataclass(slots=True)
class Report:
    """What a run of the load gave."""

    workers: int
    threads: int
    turns: int
    acknowledged: int = 0
    sent_again: int = 0
    kills: int = 0
    lost: int = 0
    doubled: int = 0
    unanswered: int = 0
    forks: int = 0
    seconds: float = 0.0
    turns_per_second: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    refused: dict[str, int] = field(default_factory=dict)
    """Statuses of answers that were no reply, and how often they came."""


class Workers:
    """Plain workers on ports of their own; each can be killed and started anew."""

    def __init__(self, count: int, first_port: int, url: str, logs: Path) -> None:
        self._ports = range(first_port, first_port + count)
        self._url = url
        self._logs = logs
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def addresses(self) -> list[str]:
        """Return where the workers listen."""
        return [f"http://127.0.0.1:{port}" for port in self._ports]

    def start(self, port: int) -> None:
        """Start one worker."""
        with (self._logs / f"{port}.log").open("ab") as log:
            self._running[port] = subprocess.Popen(  # noqa: S603 - our own program
                [
                    sys.executable,
                    "-m",
                    "uvicorn",
                    "graph.server.service:app",
                    "--port",
                    str(port),
                    "--log-level",
                    "warning",
                ],
                env=os.environ | {"DATABASE_URL": self._url, "SUPPORTPILOT_WORKER": "false"},
                stdout=log,
                stderr=log,
            )

    async def kill_one(self) -> None:
        """Kill a worker with -9 and start it anew."""
        port = random.choice(list(self._ports))  # noqa: S311 - no secret
        self._running[port].send_signal(signal.SIGKILL)
        await asyncio.to_thread(self._running[port].wait)
        await asyncio.to_thread(self.start, port)

    async def until_ready(self, http: httpx.AsyncClient) -> None:
        """Wait until all of them answer."""
        async with asyncio.timeout(_SECONDS_UP):
            for address in self.addresses():
                while not await _answers(http, address):  # noqa: ASYNC110 - another process, no event tells
                    await asyncio.sleep(0.2)

    def stop(self) -> None:
        """Let all of them finish what they do, and end."""
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            process.wait(_SECONDS_UP)


async def _answers(http: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await http.get(f"{address}/health")).is_success
    except httpx.TransportError:
        return False


@dataclass(slots=True)
class _User:
    """One user with one thread, whose messages come one after the other."""

    name: str
    acknowledged: list[str] = field(default_factory=list)

    async def talk(
        self, http: httpx.AsyncClient, addresses: list[str], turns: int, report: Report, times: list[float]
    ) -> None:
        for n in range(turns):
            message = str(uuid4())
            body = {"text": _QUESTIONS[n % len(_QUESTIONS)], "thread": "load", "message_id": message}
            began = perf_counter()
            if await self._send(http, addresses, body, report):
                self.acknowledged.append(message)
                times.append(perf_counter() - began)

    async def _send(
        self, http: httpx.AsyncClient, addresses: list[str], body: dict[str, str], report: Report
    ) -> bool:
        deadline = perf_counter() + _PATIENCE
        while perf_counter() < deadline:
            try:
                answer = await http.post(
                    f"{random.choice(addresses)}/turns",  # noqa: S311 - no secret
                    json=body,
                    headers={"X-User": self.name, "X-Tenant": _TENANT},
                )
                if answer.is_success:
                    return True
                code = str(answer.status_code)
            except httpx.TransportError as error:
                code = type(error).__name__
            report.refused[code] = report.refused.get(code, 0) + 1
            report.sent_again += 1
            await asyncio.sleep(0.3)
        return False


def load(
    turns: Annotated[int, typer.Option(min=1, help="Turns in all.")] = 200,
    threads: Annotated[int, typer.Option(min=1, help="Threads that are talked on at the same time.")] = 20,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 2,
    kills: Annotated[int, typer.Option(min=0, help="How often a worker is killed with -9 meanwhile.")] = 3,
    port: Annotated[int, typer.Option(help="Port of the first worker.")] = 4710,
    logs: Annotated[Path, typer.Option(help="Folder for the workers' output.")] = Path("evals/out/load"),
) -> None:
    """Put load on several workers, kill some of them, and count what was lost or done twice; exit code 1 if any."""
    report = asyncio.run(_load(Report(workers, threads, turns), kills, port, logs))
    typer.echo(json.dumps(asdict(report), indent=2))
    if report.lost or report.doubled or report.unanswered or report.forks:
        raise typer.Exit(1)


async def _load(report: Report, kills: int, port: int, logs: Path) -> Report:
    await asyncio.to_thread(logs.mkdir, parents=True, exist_ok=True)
    configured = load_settings(worker=False)
    run = uuid4().hex[:8]
    users = [_User(f"{run}-{n}") for n in range(report.threads)]
    async with open_support(configured) as support:
        url = await database_url(configured)
        await _drive(report, users, kills, Workers(report.workers, port, url, logs))
        for user in users:
            await _check(support, user, report)
    return report


async def _drive(report: Report, users: list[_User], kills: int, workers: Workers) -> None:
    times: list[float] = []
    async with _started(workers) as http:
        began = perf_counter()
        share = -(-report.turns // len(users))
        talks = asyncio.gather(
            *(user.talk(http, workers.addresses(), share, report, times) for user in users)
        )
        killing = asyncio.create_task(_kill(workers, kills, report, times))
        await talks
        report.seconds = round(perf_counter() - began, 1)
        killing.cancel()
        await asyncio.gather(killing, return_exceptions=True)
    report.turns = share * len(users)
    report.acknowledged = len(times)
    report.turns_per_second = round(len(times) / report.seconds, 1)
    cuts = quantiles(times, n=20)
    report.p50_ms, report.p95_ms = round(cuts[9] * 1000), round(cuts[18] * 1000)


@asynccontextmanager
async def _started(workers: Workers) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=_PATIENCE, limits=httpx.Limits(max_connections=500)) as http:
        for address in workers.addresses():
            await asyncio.to_thread(workers.start, int(address.rsplit(":", 1)[1]))
        try:
            await workers.until_ready(http)
            yield http
        finally:
            await asyncio.to_thread(workers.stop)


async def _kill(workers: Workers, kills: int, report: Report, times: list[float]) -> None:
    """Kill workers at even steps of the acknowledged turns."""
    for n in range(1, kills + 1):
        while len(times) < report.turns * n / (kills + 1):  # noqa: ASYNC110 - the list is filled by others
            await asyncio.sleep(0.05)
        await workers.kill_one()
        report.kills += 1


async def _check(support: Support, user: _User, report: Report) -> None:
    """Read a thread back: acknowledged messages once each, every one answered, one line of checkpoints."""
    log = await support.history("load", context=Context(user_id=user.name, tenant=_TENANT))
    said = [message.id for message in log if isinstance(message, HumanMessage)]
    report.lost += len({*user.acknowledged} - {*said})
    report.doubled += len(said) - len({*said})
    report.unanswered += sum(not _is_answered(log, message) for message in user.acknowledged)
    thread = thread_id(Owner(_TENANT, user.name), "load")
    async with support.resources.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM (SELECT FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = ''"
            " GROUP BY parent_checkpoint_id HAVING count(*) > 1) forked",
            (thread,),
        )
        row = await cursor.fetchone()
    report.forks += row["n"] if row else 0


def _is_answered(log: list[BaseMessage], message_id: str) -> bool:
    """Tell whether exactly one answer stands between a message and the next one of the user."""
    place = next((n for n, message in enumerate(log) if message.id == message_id), None)
    if place is None:
        return False
    answers = 0
    for message in log[place + 1 :]:
        if isinstance(message, HumanMessage):
            break
        answers += isinstance(message, AIMessage) and not message.tool_calls
    return answers == 1


if __name__ == "__main__":
    typer.run(load)
