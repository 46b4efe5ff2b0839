"""A worker in a process of its own that sends itself a signal at one step, or tells of its steps as they come."""

import os
import signal
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from psycopg import AsyncCursor

from graph.cli.common import err
from graph.cli.worker import worker
from store.settings import settings

_LENGTH = 70


def run(url: str, step: str, number: signal.Signals, told: Connection) -> None:
    """Be a worker; at the step send oneself the signal. Without a step, tell of each as it comes."""
    os.environ["DATABASE_URL"] = url
    settings.cache_clear()
    err.quiet = True
    execute, ahead = AsyncCursor.execute, [step]

    async def watched(cursor: AsyncCursor[Any], query: Any, *args: Any, **options: Any) -> AsyncCursor[Any]:
        name = _name(query, cursor)
        if not step:
            told.send(name)
        elif name in ahead:
            ahead.clear()
            told.send(monotonic())
            os.kill(os.getpid(), number)
        return await execute(cursor, query, *args, **options)

    AsyncCursor.execute = watched  # type: ignore[assignment, method-assign]  # a worker cannot be asked to die
    worker(drain_first=False)


def _name(query: Any, cursor: AsyncCursor[Any]) -> str:
    text = query.as_string(cursor) if hasattr(query, "as_string") else query
    said = text.decode() if isinstance(text, bytes) else str(text)
    return " ".join(said.split())[:_LENGTH]
