"""A real ``langgraph dev`` for tests."""

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic

import httpx
import pytest

_ROOT = Path(__file__).parents[2]
_SECONDS_TO_START = 200.0
_SECONDS_TO_END = 30.0

_PORTS = range(10_000, 32_000)  # below those that the system takes for the near end of a connection


def free_port(count: int = 1) -> int:
    """Return the first of some ports in a row that nobody uses."""
    while True:
        first = random.choice(_PORTS)  # noqa: S311 - no secret
        if all(_is_free(first + n) for n in range(count)):
            return first


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False


@asynccontextmanager
async def langgraph_dev(log: Path, **environment: str) -> AsyncIterator[str]:
    """Start a server with some settings, yield its URL, and stop it; what it keeps of its own lies beside its log."""
    port = free_port()
    configuration = (_ROOT / "langgraph.json").read_text("utf-8")
    (log.parent / "langgraph.json").write_text(configuration.replace('"./', f'"{_ROOT}/'), "utf-8")
    with log.open("w") as output:
        server = subprocess.Popen(
            [
                Path(sys.executable).parent / "langgraph",
                "dev", "--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", "4",
            ],
            cwd=log.parent,
            env=os.environ
            | {
                "PYTHONPATH": str(_ROOT),  # this checkout, also where another one is installed
                "LANGSMITH_TRACING": "false",
                "LANGGRAPH_NO_VERSION_CHECK": "true",
                "LANGGRAPH_CLI_NO_ANALYTICS": "1",
            }
            | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        await until_answers(f"{url}/ok", server, log)
        yield url
    finally:
        await _end(server)


async def _end(server: "subprocess.Popen[bytes]") -> None:
    """End a server and what it started, kindly first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if server.poll() is not None:
            return
        os.killpg(server.pid, number)
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(server.wait, _SECONDS_TO_END)


async def until_answers(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until a page of a server answers; fail with its log when it ends or stays silent."""
    deadline = monotonic() + _SECONDS_TO_START
    async with httpx.AsyncClient() as http:
        while monotonic() < deadline:
            assert server.poll() is None, log.read_text()
            try:
                if (await http.get(url)).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.2)
    pytest.fail(log.read_text())


@asynccontextmanager
async def plain_worker(log: Path, **environment: str) -> AsyncIterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Start a plain worker in a process of its own, yield its URL and process, and end it."""
    port = free_port()
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "graph.server.service:app", "--port", str(port)],
            env=os.environ | {"PYTHONPATH": str(_ROOT)} | environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        await until_answers(f"{url}/ready", process, log)
        yield url, process
    finally:
        process.kill()
        await asyncio.to_thread(process.wait, _SECONDS_TO_END)
