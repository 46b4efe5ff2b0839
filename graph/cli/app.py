"""The commands, and what is the same for all of them."""

from importlib.metadata import version
from typing import Annotated

import typer

from graph.cli import approvals, collections, tickets
from graph.cli.ask import ask
from graph.cli.chat import chat
from graph.cli.doctor import doctor
from graph.cli.gaps import gaps
from graph.cli.ingest import ingest
from graph.cli.memory import app as memory
from graph.cli.refine import refine
from graph.cli.retention import retention
from graph.cli.search import search
from graph.cli.window import budget, inspect, refute, replay, rollback
from graph.cli.worker import worker

app = typer.Typer(
    help="Answers questions from a help centre, with checked citations.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    ask,
    chat,
    ingest,
    refine,
    search,
    gaps,
    worker,
    doctor,
    inspect,
    replay,
    refute,
    rollback,
    budget,
    retention,
):
    app.command()(command)
app.add_typer(collections.app, name="collections")
app.add_typer(memory, name="memory")
app.add_typer(approvals.app, name="approvals")
app.add_typer(tickets.app, name="tickets")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"supportpilot {version('supportpilot')}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Answers questions from a help centre, with checked citations."""
