"""The command line of the evals: ``python -m evals list`` and ``python -m evals run NAME…``."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
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

from evals.corpora import SAMPLE
from evals.report import html
from evals.results import machine
from evals.suite import Options, Result, load
from store.settings import load_settings

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Measure the product beside its baselines."
)
out = Console()

SUITES = (
    "chunking",
    "retrieval",
    "citations",
    "window",
    "compaction",
    "pollution",
)
"""Each is the module ``evals.NAME``, as described in ``evals.suite``."""


@app.command("list")
def list_suites() -> None:
    """List the suites."""
    for name in SUITES:
        out.print(f"{name:12} {load(name).ABOUT}", soft_wrap=True)


@app.command()
def run(
    names: Annotated[list[str], typer.Argument(help="Suites to run, or all.", metavar="NAME…")],
    model: Annotated[str, typer.Option(help="offline, or live: the configured endpoint.")] = "offline",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Write results and the page report.html here.")
    ] = None,
    corpus: Annotated[Path, typer.Option(help="Folder of articles.")] = SAMPLE,
    data: Annotated[Path | None, typer.Option(help="A data set of your own, JSON Lines.")] = None,
    full: Annotated[bool, typer.Option("--full", help="The largest scales as well.")] = False,
    sample: Annotated[int, typer.Option(min=0, help="Cases of a suite at the most; 0: all.")] = 0,
) -> None:
    """Run suites; exit with 1 if one breaks a bound that it states, or fails."""
    chosen = list(SUITES) if names == ["all"] else names
    unknown = [name for name in chosen if name not in SUITES]
    if unknown or model not in ("offline", "live"):
        out.print(
            f"Unknown: {', '.join(unknown) or model}. Suites: all, {', '.join(SUITES)}; models: offline, live."
        )
        raise typer.Exit(2)
    configured = load_settings(chat_model="offline") if model == "offline" else load_settings()
    options = Options(configured, data, corpus, full=full, sample=sample)
    if out_dir:
        out_dir.mkdir(parents=True, exist_ok=True)
    results, failed = _run_all(chosen, options, out_dir)
    if out_dir:
        (out_dir / "report.html").write_text(html(stored(out_dir)), "utf-8")
    if json_file:
        json_file.write_text(_dump(results[0] if len(chosen) == len(results) == 1 else results), "utf-8")
    if failed or any(found["broken"] for found in results):
        raise typer.Exit(1)


def _run_all(names: list[str], options: Options, out_dir: Path | None) -> tuple[list[Result], list[str]]:
    """Run suites one after the other; one that fails is shown, and the others are still run."""
    results, failed = [], []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=out) as progress:
        for name in names:
            task = progress.add_task(name, total=1)
            told = replace(options, progress=partial(_tell, progress, task))
            try:
                found = _measure(name, told)
            except Exception:  # noqa: BLE001  # a suite's own failure must not cost the others' results
                out.print_exception()
                failed.append(name)
                continue
            progress.update(task, total=1, completed=1)
            results.append(found)
            _show(found)
            if out_dir:
                _write(found, out_dir)
    if failed:
        out.print(f"Failed: {', '.join(failed)}", style="red")
    return results, failed


def _tell(progress: Progress, task: TaskID, done: int, of: int) -> None:
    progress.update(task, completed=done, total=of)


def _measure(name: str, options: Options) -> Result:
    began = perf_counter()
    suite = load(name)
    found = asyncio.run(suite.measure(options))
    return found | {"about": suite.ABOUT, "machine": machine(), "seconds": round(perf_counter() - began, 1)}


def _write(found: Result, folder: Path) -> None:
    (folder / f"{found['suite']}.json").write_text(_dump(found), "utf-8")


def stored(folder: Path) -> list[Result]:
    """Return the results in a folder, in the order of the suites, a live one behind its offline one."""
    found = [json.loads(file.read_text("utf-8")) for file in sorted(folder.glob("*.json"))]
    known = [each for each in found if isinstance(each, dict) and each.get("suite") in SUITES]
    return sorted(known, key=lambda each: (SUITES.index(each["suite"]), each.get("live", False)))


def _dump(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1)


def _show(found: Result) -> None:
    table = Table(title=f"{found['suite']} · {found['dataset']} · {found['embedding']} · {found['revision']}")
    for column in ("metric", "value", "95 %", "n"):
        table.add_column(column)
    for name, each in found["metrics"].items():
        interval = "" if each["low"] is None else f"{each['low']:.2f}-{each['high']:.2f}"
        table.add_row(name, f"{each['value']:.3f}", interval, str(each["n"]))
    out.print(table)
    for broken in found["broken"]:
        out.print(f"bound broken: {broken}", style="red")


if __name__ == "__main__":
    app()
