"""What a warm turn costs beside the model: the time of each node, and what is left for graph and database."""

import asyncio
from collections.abc import Mapping
from statistics import median
from time import perf_counter
from typing import Annotated, Any, cast
from uuid import uuid4

import typer
from langchain_core.messages import HumanMessage
from rich.console import Console
from rich.progress import track
from rich.table import Table

from graph.support import Support, config_of, open_support
from nodes.state import Context
from store.resources import using

_QUESTIONS = ("年付套餐买错了能退款吗", "发票抬头写错了怎么改", "How many ledgers does the free plan have?")


def bench(turns: Annotated[int, typer.Option("--turns", min=3, help="Turns to measure.")] = 30) -> None:
    """Measure warm turns with the offline model and print the median time of each node and its share."""
    asyncio.run(_bench(turns))


async def _bench(turns: int) -> None:
    async with open_support() as support:
        for question in _QUESTIONS:
            await support.ask(question)
        measured = [
            await _turn(support, _QUESTIONS[n % len(_QUESTIONS)])
            for n in track(range(turns), "measuring", console=Console(stderr=True))
        ]
    names = dict.fromkeys(name for times in measured for name in times)
    total = median(times["turn"] for times in measured)
    table = Table("part", "median ms", "share", title=f"a warm turn, offline model, n = {turns}")
    for name in names:
        value = median(times.get(name, 0.0) for times in measured)
        table.add_row(name, f"{value * 1000:.1f}", f"{value / total:.0%}")
    Console().print(table)


async def _turn(support: Support, question: str) -> dict[str, float]:
    """Run one turn on a new thread; return seconds by node, for the rest, and in all."""
    started: dict[str, float] = {}
    spent: dict[str, float] = {}
    began = perf_counter()
    run = support.graph.astream(
        {"messages": [HumanMessage(question)]},
        config_of(str(uuid4())),
        context=Context(),
        stream_mode="tasks",
        durability="sync",
    )
    async for event in using(support.resources, run):
        task = cast("Mapping[str, Any]", event)
        if "input" in task:
            started[task["id"]] = perf_counter()
        else:
            spent[task["name"]] = perf_counter() - started[task["id"]]
    turn = perf_counter() - began
    return {**spent, "graph and checkpoints": turn - sum(spent.values()), "turn": turn}


if __name__ == "__main__":
    typer.run(bench)
