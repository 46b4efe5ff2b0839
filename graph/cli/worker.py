"""``supportpilot worker``: reads quiet conversations for memories and refines collections, apart from who answers."""

import asyncio
import signal
from typing import Annotated

import typer

from graph.cli.common import err, run
from graph.support import open_knowledge_only
from graph.worker import drain, run_worker
from store.resources import Resources
from store.settings import settings


def worker(
    drain_first: Annotated[
        bool, typer.Option("--drain", help="Read everything that is unread now, then stop.")
    ] = False,
) -> None:
    """Read quiet conversations for memories, and refine what was ingested; for services whose processes have SUPPORTPILOT_WORKER=false."""
    run(_worker(drain_first))


async def _worker(drain_first: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        if drain_first:
            await drain(opened)
            err.print("Everything that was unread is read.", style="dim")
        else:
            await _until_stopped(opened)


async def _until_stopped(opened: Resources) -> None:
    working = asyncio.create_task(run_worker(opened))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, working.cancel)
    err.print("Waiting for quiet conversations; Ctrl-C stops.", style="dim")
    await asyncio.wait([working])
    if not working.cancelled():
        working.result()
