"""The commands: a list of them, and each imported when it is called, for most of what a command takes is imports."""

from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "ask": ("ask:ask", "Answer one question and print the answer with its sources."),
    "chat": ("chat:chat", "Talk; the answers stream. Commands: /help, /new, /quit."),
    "ingest": ("ingest:ingest", "Make a collection mirror a folder; what is unchanged costs nothing."),
    "refine": (
        "refine:refine",
        "Embed passages by the slower model, all collections or one; answers get better as it goes.",
    ),
    "search": ("search:search", "Print the passages that a question finds, best first."),
    "gaps": (
        "gaps:gaps",
        "List the questions that found no answer, those that mean the same as one, the most frequent first.",
    ),
    "worker": (
        "worker:worker",
        "Read quiet conversations for memories, and refine what was ingested; for services whose processes have SUPPORTPILOT_WORKER=false.",
    ),
    "doctor": (
        "doctor:doctor",
        "Check Python, database, embedder and model; exit code 1 if something is wrong.",
    ),
    "inspect": (
        "window:inspect",
        "Show what every model call of a thread held, kept cached and cost, and what left its window.",
    ),
    "replay": (
        "window:replay",
        "Show what a thread's calls would have been under another policy or budget; no provider is asked.",
    ),
    "refute": (
        "window:refute",
        "Mark what was said in a turn as wrong; later answers are told not to build on it.",
    ),
    "rollback": (
        "window:rollback",
        "Let a thread go on from the end of an earlier turn; a record of what is given up stays.",
    ),
    "budget": (
        "window:budget",
        "Show the window's budget: every field with its value, its meaning and the reason for its default.",
    ),
    "retention": (
        "retention:retention",
        "Remove old conversations and memories; a worker does it once an hour.",
    ),
    "collections": ("collections:app", "The help centres that were ingested."),
    "memory": (
        "memory:app",
        "What is remembered of a user: list, show, export, import, correct, forget.",
    ),
    "approvals": ("approvals:app", "Decide on what the agent wants to do. The operator is staff."),
    "tickets": ("tickets:app", "Work on conversations that were handed over. The operator is staff."),
}
"""Name → where it is in this package, and its line in the list: the first of its own help."""


class _Commands(TyperGroup):
    """Lists the commands without importing one, and imports the one that is called."""

    def __init__(self, **given: Any) -> None:
        listed = {name: TyperCommand(name, help=line) for name, (_, line) in COMMANDS.items()}
        super().__init__(**given | {"commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; an unknown name is an error with the names that are like it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, imported(str(name)), rest


def imported(name: str) -> Any:
    """Import a command, or a group of them."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    found = getattr(import_module(f"graph.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    single = typer.Typer(add_completion=False)
    single.command(name)(found)
    return typer.main.get_command(single)


app = typer.Typer(
    help="Answers questions from a help centre, with checked citations.",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
