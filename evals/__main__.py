"""The command line of the evals: ``python -m evals list`` and ``python -m evals run NAME…``."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from evals.corpora import SAMPLE
from evals.database import own_database
from evals.documents import DOCS, filled, results_page, settings_page
from evals.live import money, restrain
from evals.runs import Runs, dump, measured, stored, write_page
from evals.suite import Options, Result, load
from store.errors import SupportPilotError
from store.settings import load_settings

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Measure the product beside its baselines."
)
out = Console()

SUITES = (
    "chunking",
    "retrieval",
    "search_scale",
    "routing",
    "citations",
    "answers",
    "handover",
    "window",
    "compaction",
    "pollution",
    "conflict",
    "isolation",
    "scale",
    "memory",
    "memory_scale",
    "judge",
    "recall",
    "privacy",
)
"""Each is the module ``evals.NAME``, as described in ``evals.suite``."""
QUICK = ("citations", "window", "compaction", "pollution", "conflict", "privacy")
"""What CI runs at each change: quick suites, each with floors below which it must not fall."""


@app.command("list")
def list_suites() -> None:
    """List the suites."""
    for name in SUITES:
        out.print(f"{name:12} {load(name).ABOUT}", soft_wrap=True)


@app.command()
def run(
    names: Annotated[
        list[str], typer.Argument(help="Suites to run; all; floors: the small tier of CI.", metavar="NAME…")
    ],
    model: Annotated[str, typer.Option(help="offline, or live: the configured endpoint.")] = "offline",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Write results and the page report.html here.")
    ] = None,
    corpus: Annotated[Path, typer.Option(exists=True, file_okay=False, help="Folder of articles.")] = SAMPLE,
    data: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="A data set of your own, JSON Lines.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="The largest scales as well.")] = False,
    sample: Annotated[int, typer.Option(min=0, help="Cases of a suite at the most; 0: all.")] = 0,
    per_minute: Annotated[float, typer.Option(min=0.1, help="Calls of a live model a minute.")] = 60,
    prices: Annotated[
        tuple[float, float], typer.Option(help="Prices of a million input and output tokens, for the cost.")
    ] = (0.0, 0.0),
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
) -> None:
    """Run suites; exit with 1 if one fails or breaks a bound that it states. On data of your own bounds only show."""
    chosen = {"all": list(SUITES), "floors": list(QUICK)}.get(names[0], names)
    unknown = [name for name in chosen if name not in SUITES]
    unknown += [] if model in ("offline", "live") else [model]
    if unknown:
        out.print(
            f"Unknown: {', '.join(unknown)}. Suites: all, floors, {', '.join(SUITES)}; models: offline, live."
        )
        raise typer.Exit(2)
    quick = names == ["floors"]
    runs = Runs(out, out_dir)

    async def measure() -> None:
        async with own_database(load_settings(chat_model="offline")) as configured:
            options = Options(configured, data, corpus, full=full, quick=quick, sample=sample)
            if model == "live":
                await _live(runs, chosen, options, per_minute=per_minute, prices=prices, yes=yes)
            else:
                await runs.all(chosen, options)

    try:
        asyncio.run(measure())
    except SupportPilotError as error:
        out.print(str(error), style="red", markup=False)
        raise typer.Exit(1) from None
    if runs.failed:
        out.print(f"Failed: {', '.join(runs.failed)}", style="red")
    if out_dir and runs.results:
        out.print(f"Report: {write_page(out_dir, SUITES)}")
    if json_file:
        only = runs.results[0] if len(chosen) == len(runs.results) == 1 else runs.results
        json_file.parent.mkdir(parents=True, exist_ok=True)
        json_file.write_text(dump(only), "utf-8")
    if not runs.fine:
        raise typer.Exit(1)


@app.command()
def docs(
    results: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder of a run's results; without it docs/results.md stays as it is.",
        ),
    ] = None,
    note: Annotated[str, typer.Option(help="What a reader has to know about the run.")] = "",
) -> None:
    """Write what is made in docs/: settings.md, results.md from a run, and the figures in the other pages."""
    (DOCS / "settings.md").write_text(settings_page(), "utf-8")
    if results:
        if not (found := stored(results, SUITES)):
            raise typer.BadParameter(f"{results} holds no results: name the folder of a run's --out.")
        (DOCS / "results.md").write_text(results_page(found, note), "utf-8")
    measured_figures = (DOCS / "results.md").read_text("utf-8")
    for file in DOCS.glob("*.md"):
        file.write_text(filled(file.read_text("utf-8"), measured_figures), "utf-8")


async def _live(
    runs: Runs,
    names: list[str],
    options: Options,
    *,
    per_minute: float,
    prices: tuple[float, float],
    yes: bool,
) -> None:
    """Run offline first, to know what will be asked of the model, and then live."""
    live = replace(options, settings=load_settings(database_url=options.settings.database_url))
    if not live.live:
        out.print(
            "No live model is configured: set OPENAI_BASE_URL or OPENAI_API_KEY, and SUPPORTPILOT_CHAT_MODEL."
        )
        raise typer.Exit(2)
    out.print("Running the same cases with the offline model first, to know what will be asked …")
    offline = {name: await measured(name, options) for name in names}
    asking = [name for name in names if offline[name]["spent"]]
    _show_cost({name: offline[name] for name in asking}, prices, per_minute)
    if silent := [name for name in names if name not in asking]:
        out.print(f"These ask no model, so their offline figures stand: {', '.join(silent)}.")
    if asking and not yes:
        typer.confirm("Go on?", abort=True)
    restrain(live, per_minute)
    await runs.all(asking, live, offline)


def _show_cost(offline: dict[str, Result], prices: tuple[float, float], per_minute: float) -> None:
    table = Table(title="What the offline model was asked on these cases; a live one is asked about the same")
    for column in ("suite", "calls", "tokens in", "tokens out", "cost", "at least, minutes"):
        table.add_column(column)
    for name, found in offline.items():
        calls, read, written = (
            sum(of[key] for of in found["spent"].values()) for key in ("calls", "input", "output")
        )
        cost = f"{money(found['spent'], prices):.4f}" if any(prices) else "no --prices given"
        table.add_row(name, str(calls), f"{read:,}", f"{written:,}", cost, f"{calls / per_minute:.1f}")
    out.print(table)


if __name__ == "__main__":
    app()
