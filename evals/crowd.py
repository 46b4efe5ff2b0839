"""Many threads at once in one process: how many turns a second, how even they are, and whether memory stays flat.

The yardstick is the same graph with LangGraph's own saver, one for the process, whose lock lets one database call
through at a time. Model and search answer at once, so that graph and saver are what is measured.
"""

import asyncio
import gc
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from evals.at_once import at_once
from evals.intervals import percentile
from evals.overhead import fixed_turn
from graph.support import Support

_SETTLED = 0.2
"""Share of the turns after which memory is first looked at: caches and pools are full then."""


async def crowd(support: Support, threads: int, turns: int) -> dict[str, float]:
    """Let threads talk at the same time, first with LangGraph's saver, then with ours.

    Args:
        support: the product.
        threads: how many there are at once.
        turns: how many each of them has, one after the other.

    Returns:
        Turns a second (``per_second``), the same with LangGraph's saver (``one_saver_per_second``), the first over the
        second (``throughput_ratio``), and how long a turn takes, its wait for the others included.
    """
    stock = AsyncPostgresSaver(support.resources.pool)
    one_saver = replace(support, graph=support.graph.copy(update={"checkpointer": stock}))
    async with at_once(support):
        rates, times = {}, list[float]()
        for name, product in (("one_saver", one_saver), ("ours", support)):
            await _all_at_once(threads, 1, _turn_of(product, []))
            times = []
            began = perf_counter()
            await _all_at_once(threads, turns, _turn_of(product, times))
            rates[name] = threads * turns / (perf_counter() - began)
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    return {
        "per_second": round(rates["ours"], 1),
        "one_saver_per_second": round(rates["one_saver"], 1),
        "throughput_ratio": round(rates["ours"] / rates["one_saver"], 2),
        "p50_ms": round(p50 * 1000),
        "p95_ms": round(p95 * 1000),
        "p95_over_p50": round(p95 / p50, 2),
    }


async def memory(support: Support, threads: int, turns: int) -> dict[str, float]:
    """Run many turns in this process; return its resident memory when it has settled and at the end.

    Args:
        support: the product.
        threads: how many talk at the same time; each turn begins a thread.
        turns: how many turns there are in all.
    """
    each = turns // threads
    async with at_once(support):
        turn = _turn_of(support, [])
        first = int(each * _SETTLED)
        await _all_at_once(threads, first, turn)
        settled = _resident()
        await _all_at_once(threads, each - first, turn)
        end = _resident()
    return {
        "turns": each * threads,
        "settled_mb": round(settled / 2**20, 1),
        "end_mb": round(end / 2**20, 1),
        "growth": round(end / settled - 1, 4),
    }


def _turn_of(support: Support, times: list[float]) -> Callable[[], Awaitable[None]]:
    async def turn() -> None:
        began = perf_counter()
        await fixed_turn(support, str(uuid4()))
        times.append(perf_counter() - began)

    return turn


async def _all_at_once(threads: int, turns: int, turn: Callable[[], Awaitable[None]]) -> None:
    async def talk() -> None:
        for _ in range(turns):
            await turn()

    await asyncio.gather(*(talk() for _ in range(threads)))


def _resident() -> int:
    """Return the bytes of this process that are in memory (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
