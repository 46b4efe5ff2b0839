"""A worker in a process of its own that sends itself a signal at one step of a reading, or tells of its steps as they come.

A step is a statement that the worker sends to Postgres for a reading, for nothing else that it does outlives it.
"""

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Any

from psycopg import AsyncCursor

import graph.worker
from graph.cli.common import err
from graph.cli.worker import worker
from graph.memory_writer import MemoryWriter, Reading
from store.resources import Resources
from store.settings import settings

_PATIENCE = 30.0
"""Seconds in which a worker has to come to its step."""
_LONGEST_EXIT = 30.0
_LENGTH = 70
_processes = get_context("forkserver")
_processes.set_forkserver_preload([__name__])
_reading: ContextVar[bool] = ContextVar("_reading", default=False)


@contextmanager
def running(
    url: str, step: str = "", number: signal.Signals = signal.SIGTERM
) -> Iterator[tuple[BaseProcess, Connection]]:
    """Start ``supportpilot worker`` on a database; one that still runs in the end is killed.

    Args:
        url: the database.
        step: where the worker sends itself the signal; empty: nowhere.
        number: the signal.

    Yields:
        The process, and what it tells: the clock's time at its step; without one the name of each step, once.
    """
    ours, theirs = _processes.Pipe(duplex=False)
    process = _processes.Process(target=_run, args=(url, step, number, theirs))
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
        ours.close()


def stopped(url: str, step: str, number: signal.Signals) -> float | None:
    """Run a worker that is stopped at a step; seconds from the signal to its end, nothing if it never got there."""
    with running(url, step, number) as (process, told), suppress(EOFError):  # it ended before
        if told.poll(_PATIENCE):
            sent: float = told.recv()
            process.join(_LONGEST_EXIT)
            return monotonic() - sent
    return None


def _run(url: str, step: str, number: signal.Signals, told: Connection) -> None:
    os.environ |= {"DATABASE_URL": url, "SUPPORTPILOT_MEMORY_PAUSE": "0"}
    settings.cache_clear()
    err.quiet = True
    execute, read, passed = AsyncCursor.execute, graph.worker.read_thread, set[str]()

    async def reading(resources: Resources, writer: MemoryWriter, thread: str) -> Reading | None:
        _reading.set(True)  # for the rest of the job, its end included
        return await read(resources, writer, thread)

    async def watched(cursor: AsyncCursor[Any], query: Any, *args: Any, **options: Any) -> AsyncCursor[Any]:
        name = _name(query, cursor) if _reading.get() else ""
        if name and name not in passed and step in ("", name):
            passed.add(name)
            told.send(monotonic() if step else name)
            if step:
                os.kill(os.getpid(), number)
        return await execute(cursor, query, *args, **options)

    graph.worker.read_thread = reading
    AsyncCursor.execute = watched  # type: ignore[assignment, method-assign]  # a worker cannot be asked to die
    worker(drain_first=False)


def _name(query: Any, cursor: AsyncCursor[Any]) -> str:
    """Return the beginning of a statement; how many values it is given is no difference."""
    text = query.as_string(cursor) if hasattr(query, "as_string") else query
    said = text.decode() if isinstance(text, bytes) else str(text)
    return re.sub(r"%s(, ?%s)+", "%s", " ".join(said.split()))[:_LENGTH]
