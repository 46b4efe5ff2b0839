"""A process that runs one turn and is killed when a certain node begins: ``python -m tests.graph.crash``."""

import asyncio
import json
import os
import signal
import sys
from typing import Any

from langchain_core.messages import HumanMessage

from graph.support import config_of, open_support
from nodes.state import Context
from store.resources import using
from store.settings import load_settings

SMALL = {"window": 9_000, "reserve": 1_000, "high": 4_000, "low": 1_300}


async def crash(url: str, thread: str, node: str, question: str) -> None:
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


if __name__ == "__main__":
    asyncio.run(crash(*json.loads(sys.argv[1])))
