"""A process that runs one turn and is killed when a certain node begins."""

import asyncio
import os
import signal
from multiprocessing import get_context
from typing import Any

from langchain_core.messages import HumanMessage

from graph.support import config_of, open_support
from nodes.state import Context
from store.resources import using
from store.settings import load_settings

_SECONDS = 150
SMALL = {"window": 9_000, "reserve": 1_000, "high": 4_000, "low": 1_300}


_processes = get_context("forkserver")  # forked off one that has imported everything
_processes.set_forkserver_preload([__name__])


async def killed(url: str, thread: str, node: str, question: str) -> None:
    """Run a turn in a process of its own that is killed when a node of it begins."""
    process = _processes.Process(target=_run, args=(url, thread, node, question))
    process.start()
    try:
        await asyncio.to_thread(process.join, _SECONDS)
        assert process.exitcode == -signal.SIGKILL
    finally:
        process.kill()


def _run(*turn: str) -> None:
    asyncio.run(_crash(*turn))


async def _crash(url: str, thread: str, node: str, question: str) -> None:
    async with open_support(load_settings(database_url=url, worker=False)) as support:
        run = support.graph.astream(
            {"messages": [HumanMessage(question, id="the-question")]},
            config_of(thread),
            context=Context(budget=SMALL),
            stream_mode="tasks",
            durability="sync",
        )
        async for event in using(support.resources, run):
            task: Any = event
            if "input" in task and task["name"] == node:
                os.kill(os.getpid(), signal.SIGKILL)
