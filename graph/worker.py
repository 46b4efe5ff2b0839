"""The worker that reads quiet threads for memories: in the process of the command line or a server, or apart."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException

from graph.memory_writer import MemoryWriter, Reading, compile_memory_writer
from nodes.state import Context
from store.errors import SupportPilotError
from store.jobs import QUEUE, STALLED_SECONDS, TASK, bring_forward, queue_reading, queue_unread
from store.refinement import refine
from store.resources import Resources, using
from store.retention import expire
from store.threads import owner_of

_log = logging.getLogger(__name__)

_POLL_SECONDS = 2.0
_SEARCH_SECONDS = 60.0
"""How often threads are searched that no job waits for; a process was killed before it queued them."""
_EXPIRY_SECONDS = 3600.0
_GRACE_SECONDS = 0.25
"""How long a job may go on when the worker is to stop; what it does not finish is done again later.

Longer than a reading takes; a busy machine needs most of the two seconds that a worker has for what comes after it.
"""
_EXIT_SECONDS = 1.0
"""How long threads that were just left are read when a program ends."""
_LONGEST_RETRY = 3600.0
_CONCURRENCY = 4


async def read_thread(resources: Resources, writer: MemoryWriter, thread: str) -> Reading | None:
    """Run the memory writer on a thread, as its owner; nothing for a thread that is gone or nobody's.

    Raises:
        ModelError: the model is out of reach; the thread stays unread.
    """
    who = await owner_of(resources.pool, thread)
    if who is None or not who.user_id:
        return None
    run = writer.astream(
        {"thread_id": thread},
        context=Context(user_id=who.user_id, tenant=who.tenant),
        stream_mode="values",
    )
    last: Reading | None = None
    async for values in using(resources, run):
        last = values  # type: ignore[assignment]  # the graph's state
    return last


@asynccontextmanager
async def worker(resources: Resources) -> AsyncIterator[None]:
    """Run the worker beside whatever is done meanwhile; it stops within two seconds, unless a thread is computing meanwhile.

    A server opens it in its lifespan. What it leaves undone stays queued.

    Args:
        resources: open resources; their pool is used.
    """
    tasks = [asyncio.create_task(_kept_up(work, resources)) for work in (_work, _search, _expire)]
    try:
        yield
    finally:
        await stop(tasks)


async def stop(tasks: Collection[asyncio.Task[None]]) -> None:
    """Cancel tasks until they end; one that is cancelled in the middle of a query may take it for a lost database.

    Such a one is told again after twice the time that a job may go on.

    Args:
        tasks: of this event loop.
    """
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=2 * _GRACE_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_worker(resources: Resources) -> None:
    """Run the worker until it is cancelled; beside it, what was ingested is refined."""
    async with worker(resources):
        await _kept_up(_refine, resources)


async def drain(resources: Resources) -> None:
    """Read every thread that holds something unread, without waiting for it to be quiet, and return."""
    await queue_unread(resources.pool, seconds=0)
    await bring_forward(resources.pool)
    await _work(resources, wait=False, patience=None)


async def drain_threads(resources: Resources, threads: list[str]) -> None:
    """Read some threads that were just left, for a short time; what is not finished stays queued."""
    await bring_forward(resources.pool, threads)
    with suppress(TimeoutError):
        async with asyncio.timeout(_EXIT_SECONDS):
            await _work(resources, wait=False)


async def _search(resources: Resources) -> None:
    while True:
        await queue_unread(resources.pool, seconds=resources.settings.memory_pause)
        await asyncio.sleep(_SEARCH_SECONDS)


async def _expire(resources: Resources) -> None:
    """Remove what is old, once an hour; several workers at once do no harm to each other."""
    while True:
        await expire(resources.pool, resources.settings)
        await asyncio.sleep(_EXPIRY_SECONDS)


async def _kept_up(work: Callable[[Resources], Awaitable[None]], resources: Resources) -> None:
    """Begin again whenever the database was away; a query that is cancelled in its middle may look like that."""
    while True:
        try:
            await work(resources)
        except (psycopg.Error, ConnectorException) as error:
            if (task := asyncio.current_task()) and task.cancelling():
                raise asyncio.CancelledError from error
            _log.warning("the worker lost the database: %s", error)
            await asyncio.sleep(_POLL_SECONDS)


async def _refine(resources: Resources) -> None:
    while True:
        await refine(resources.knowledge)
        await asyncio.sleep(_SEARCH_SECONDS)


async def _work(resources: Resources, *, wait: bool = True, patience: float | None = _GRACE_SECONDS) -> None:
    """Do jobs as they come, or those that are there; at the end those that run have so many seconds, or their time."""
    app = App(connector=PsycopgConnector())
    writer = compile_memory_writer()

    @app.task(name=TASK, queue=QUEUE)
    async def task(*, thread_id: str, owner: str, attempt: int = 0) -> None:
        del owner  # the thread's owner is looked up; the digest is there to be forgotten by
        await _read_or_retry(resources, writer, thread_id, attempt)

    async with app.open_async(resources.pool):
        await app.run_worker_async(
            queues=[QUEUE],
            concurrency=_CONCURRENCY,
            wait=wait,
            install_signal_handlers=False,
            # It would open a connection with our pool's options and its own, which contradict each other.
            listen_notify=False,
            fetch_job_polling_interval=_POLL_SECONDS,
            update_heartbeat_interval=STALLED_SECONDS / 4,
            stalled_worker_timeout=STALLED_SECONDS,
            shutdown_graceful_timeout=patience,  # type: ignore[arg-type]  # None is taken, and missing in its type
            delete_jobs="always",
        )


async def _read_or_retry(resources: Resources, writer: MemoryWriter, thread: str, attempt: int) -> None:
    try:
        await read_thread(resources, writer, thread)
    except (SupportPilotError, psycopg.Error) as error:
        # Queued anew, not retried by procrastinate: its retry fails where a newer job of the thread waits.
        seconds = min(resources.settings.memory_pause * 2**attempt + 1, _LONGEST_RETRY)
        known = isinstance(error, SupportPilotError)
        _log.warning(
            "reading thread %s failed: %s; again in %.0f s", thread, error, seconds, exc_info=not known
        )
        who = await owner_of(resources.pool, thread)
        if who is not None:
            await queue_reading(resources.pool, thread, who, seconds=seconds, attempt=attempt + 1)
