"""Running suites one after the other, shown as they go, each result stored as soon as it is there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from evals.live import beside
from evals.report import html
from evals.results import machine, stated
from evals.spending import spending
from evals.suite import Options, Result, load
from evals.svg import number
from store.errors import SupportPilotError

_WIDE = 110
"""Columns of a terminal that has room for baselines."""


class Runs:
    """A run of several suites: what came of them, and which failed."""

    def __init__(self, out: Console, folder: Path | None = None) -> None:
        self.out, self.folder = out, folder
        self.results: list[Result] = []
        self.failed: list[str] = []
        self.bound = True

    async def all(
        self, names: Sequence[str], options: Options, offline: Mapping[str, Result] | None = None
    ) -> None:
        """Run suites; one that fails is shown, and the others are still run.

        Args:
            names: of suites.
            options: what is asked of each.
            offline: for a live run, what the offline model got on the same cases.
        """
        self.bound = options.data is None
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeElapsedColumn(), console=self.out) as progress:
            for name in names:
                task = progress.add_task(name, total=1)
                told = replace(options, progress=partial(_tell, progress, task))
                try:
                    found = await measured(name, told)
                    if offline is not None:
                        found = await beside(found, offline[name], options)
                except SupportPilotError as error:  # the message says it all
                    self.out.print(f"{name}: {error}", style="red", markup=False)
                    self.failed.append(name)
                    continue
                except Exception:  # noqa: BLE001  # a suite's own failure must not cost the others' results
                    self.out.print_exception(max_frames=4)
                    self.failed.append(name)
                    continue
                progress.update(task, total=1, completed=1)
                self._keep(found)

    @property
    def fine(self) -> bool:
        """Tell whether every suite ran and, on its own data, kept the bounds that it states for that."""
        return not self.failed and not (self.bound and any(found["broken"] for found in self.results))

    def _keep(self, found: Result) -> None:
        self.results.append(found)
        show(found, self.out)
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = f"{found['suite']}.live.json" if found.get("live") else f"{found['suite']}.json"
            (self.folder / name).write_text(dump(found), "utf-8")


async def measured(name: str, options: Options) -> Result:
    """Run one suite, and add to its result what only the run knows."""
    suite, began, began_cpu = load(name), perf_counter(), process_time()
    with spending() as spent:
        found = await suite.measure(options)
    seconds, cpu = round(perf_counter() - began, 1), round(process_time() - began_cpu, 1)
    if options.quick:
        found |= stated(found["metrics"], getattr(suite, "FLOORS", suite.BOUNDS))
    return {
        **found,
        "about": suite.ABOUT,
        "machine": machine(),
        "seconds": seconds,
        "cpu": cpu,
        "spent": spent,
    }


def stored(folder: Path, order: Sequence[str]) -> list[Result]:
    """Return the results in a folder, in the order of the suites, a live one behind its offline one."""
    found = [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]
    known = [each for each in found if isinstance(each, dict) and each.get("suite") in order]
    return sorted(known, key=lambda each: (order.index(each["suite"]), each.get("live", False)))


def write_page(folder: Path, order: Sequence[str]) -> Path:
    """Write the page of the results in a folder, and return where it is."""
    page = folder / "report.html"
    page.write_text(html(stored(folder, order)), "utf-8")
    return page


def dump(found: object) -> str:
    """Return results as JSON."""
    return json.dumps(found, ensure_ascii=False, indent=1)


def show(found: Mapping[str, Any], out: Console) -> None:
    """Print a result's figures and the bounds that it broke."""
    names = list(found["baselines"])[: 2 if out.width >= _WIDE else 0]
    table = Table(title=f"{found['suite']} · {found['dataset']} · {found['model']} · {found['revision']}")
    for column in ("metric", "value", "95 %", "n", *names):
        table.add_column(column, no_wrap=column not in names)
    for name, each in found["metrics"].items():
        interval = "" if each["low"] is None else f"{number(each['low'])}-{number(each['high'])}"
        others = [found["baselines"][other].get(name) for other in names]
        cells = ["" if value is None else number(value) for value in others]
        table.add_row(name, number(each["value"]), interval, str(each["n"]), *cells)
    out.print(table)
    for broken in found["broken"]:
        out.print(f"bound broken: {broken}", style="red")


def _tell(progress: Progress, task: TaskID, done: int, of: int) -> None:
    progress.update(task, completed=done, total=of)
