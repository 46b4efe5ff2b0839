"""The command line of the evals: ``python -m evals list`` and ``python -m evals run NAME…``."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from evals.corpora import DATA, SAMPLE, load_corpus
from evals.report import html
from graph.support import open_knowledge_only
from store.settings import Settings, load_settings

app = typer.Typer(
    add_completion=False, no_args_is_help=True, help="Measure the product beside its baselines."
)
out = Console()

Options = dict[str, Any]


async def _retrieval(options: Options) -> dict[str, Any]:
    configured: Settings = options["settings"]
    module = import_module("evals.retrieval")
    async with open_knowledge_only(configured) as opened:
        corpus = load_corpus(options["corpus"], options["data"] or DATA)
        return dict(await module.run(opened.knowledge, configured, corpus, str(options["data"] or DATA.name)))


async def _chunking(options: Options) -> dict[str, Any]:
    module = import_module("evals.chunking")
    async with open_knowledge_only(options["settings"]) as opened:
        corpus = load_corpus(options["corpus"], options["data"] or DATA)
        embedder = opened.knowledge.embedder
        return dict(await module.run(embedder, corpus, str(options["data"] or DATA.name)))


def _scripted(name: str) -> Callable[[Options], Awaitable[dict[str, Any]]]:
    async def run(options: Options) -> dict[str, Any]:
        data = [options["data"]] if options["data"] else []
        return dict(await import_module(f"evals.{name}").run(data))

    return run


SUITES: dict[str, tuple[str, Callable[[Options], Awaitable[dict[str, Any]]]]] = {
    "chunking": ("heading chunks beside windows and LangChain's splitters", _chunking),
    "retrieval": ("the search modes, the confidence, follow-ups and double questions", _retrieval),
    "window": ("what calls cost, hold and keep cached", _scripted("window")),
    "compaction": ("what compaction keeps", _scripted("compaction")),
    "pollution": ("what refuted facts still do", _scripted("pollution")),
}


@app.command("list")
def list_suites() -> None:
    """List the suites."""
    for name, (about, _) in SUITES.items():
        out.print(f"{name:12} {about}")


@app.command()
def run(
    names: Annotated[list[str], typer.Argument(help="Suites to run.", metavar="NAME…")],
    model: Annotated[str, typer.Option(help="offline, or live: the configured endpoint.")] = "offline",
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the results to this file.")] = None,
    out_dir: Annotated[Path | None, typer.Option("--out", help="Write JSON and HTML reports here.")] = None,
    corpus: Annotated[Path, typer.Option(help="Folder of articles.")] = SAMPLE,
    data: Annotated[Path | None, typer.Option(help="Labelled questions or dialogues, JSON Lines.")] = None,
) -> None:
    """Run suites; exit with 1 if one breaks a bound that it states."""
    unknown = [name for name in names if name not in SUITES]
    if unknown or model not in ("offline", "live"):
        out.print(
            f"Unknown: {', '.join(unknown) or model}. Suites: {', '.join(SUITES)}; models: offline, live."
        )
        raise typer.Exit(2)
    configured = load_settings(chat_model="offline") if model == "offline" else load_settings()
    options = {"settings": configured, "corpus": corpus, "data": data}
    results = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=out) as progress:
        for name in names:
            task = progress.add_task(name, total=1)
            results.append(asyncio.run(_measure(name, options)))
            progress.advance(task)
    for found in results:
        _show(found)
        if out_dir:
            out_dir.mkdir(parents=True, exist_ok=True)
            (out_dir / f"{found['suite']}.json").write_text(_dump(found), "utf-8")
            (out_dir / f"{found['suite']}.html").write_text(html(found), "utf-8")
    if json_file:
        json_file.write_text(_dump(results[0] if len(results) == 1 else results), "utf-8")
    if any(found["broken"] for found in results):
        raise typer.Exit(1)


async def _measure(name: str, options: Options) -> dict[str, Any]:
    return await SUITES[name][1](options)


def _dump(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1)


def _show(found: dict[str, Any]) -> None:
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
