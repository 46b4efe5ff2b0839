"""What serving costs, as ratios of one run: the graph beside a plain agent, many threads at once, memory, each node."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any, cast
from uuid import uuid4

import typer
from langchain_core.messages import HumanMessage
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals.crowd import crowd, memory
from evals.database import own_database
from evals.overhead import overhead
from evals.results import stated
from graph.support import Support, config_of, open_support
from nodes.state import Context
from store.resources import using
from store.settings import load_settings

PARTS = ("nodes", "overhead", "crowd", "memory")
BOUNDS = {
    "overhead.ratio": ("<=", 2.0),
    "crowd.throughput_ratio": (">=", 2.0),
    "crowd.p95_over_p50": ("<=", 3.0),
    "memory.growth": ("<=", 0.05),
}
_QUESTIONS = ("年付套餐买错了能退款吗", "发票抬头写错了怎么改", "How many ledgers does the free plan have?")


def bench(
    parts: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(PARTS)}; none: all.")] = None,
    turns: Annotated[int, typer.Option(min=3, help="Turns of each kind, one after the other.")] = 30,
    threads: Annotated[int, typer.Option(min=1, help="Threads at the same time.")] = 200,
    long: Annotated[int, typer.Option(min=10, help="Turns over which memory is watched.")] = 5_000,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")] = None,
) -> None:
    """Measure warm turns without a model's time, and print the figures; exit code 1 if one breaks its bound."""
    if unknown := {*(parts or ())} - {*PARTS}:
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(PARTS)}.")
    found = asyncio.run(_bench(parts or list(PARTS), turns, threads, long))
    report = {"figures": found, **stated({name: {"value": value} for name, value in found.items()}, BOUNDS)}
    typer.echo(json.dumps(report, indent=2))
    if json_file:
        json_file.write_text(json.dumps(report, indent=2), "utf-8")
    if report["broken"]:
        raise typer.Exit(1)


async def _bench(parts: list[str], turns: int, threads: int, long: int) -> dict[str, float]:
    found: dict[str, float] = {}
    async with (
        own_database(load_settings(worker=False)) as configured,
        open_support(configured) as support,
    ):
        measures = {
            "nodes": lambda: _nodes(support, turns),
            "overhead": lambda: overhead(support, turns),
            "crowd": lambda: crowd(support, threads, turns=3),
            "memory": lambda: memory(support, min(threads, 20, long // 5), long),
        }
        for part in parts:
            found |= {f"{part}.{name}": value for name, value in (await measures[part]()).items()}
    return found


async def _nodes(support: Support, turns: int) -> dict[str, float]:
    """Measure turns with the offline model and the real search; print the median time of each node and its share."""
    for question in _QUESTIONS:
        await support.ask(question)
    measured = [
        await _turn(support, _QUESTIONS[n % len(_QUESTIONS)])
        for n in track(range(turns), "measuring", console=Console(stderr=True))
    ]
    names = dict.fromkeys(name for times in measured for name in times)
    medians = {name: median(times.get(name, 0.0) for times in measured) for name in names}
    table = Table("part", "median ms", "share", title=f"a warm turn, offline model, n = {turns}")
    for name, value in medians.items():
        table.add_row(name, f"{value * 1000:.1f}", f"{value / medians['turn']:.0%}")
    Console(stderr=True).print(table)
    return {f"{name}_ms": round(value * 1000, 1) for name, value in medians.items()}


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
