"""The graph that a LangGraph server runs: one run at a time on a thread, across all processes of the database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_sdk.runtime import ServerRuntime

from graph.builder import Graph, compile_graph
from nodes.state import Context
from store.resources import resources
from store.turn_lock import turn_lock

_graph = compile_graph()


@asynccontextmanager
async def support(config: RunnableConfig, runtime: ServerRuntime[Context]) -> AsyncIterator[Graph]:
    """Give a server the graph, for a run as long as it holds the run's thread.

    The server keeps runs on one thread apart by itself, but only those that it started.

    Args:
        config: names the thread.
        runtime: tells a run from a look at the state, which needs no lock.
    """
    thread: Any = config.get("configurable", {}).get("thread_id")
    if runtime.execution_runtime is None or not thread:
        yield _graph
        return
    async with turn_lock((await resources()).locks, str(thread)) as held:
        with held.marked():
            yield _graph
