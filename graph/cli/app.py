"""The commands: a list of them, and each imported when it is called, for most of what a command takes is imports."""

import ast
from importlib import import_module, resources
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from store.storable import storable

COMMANDS = {
    "ask": "ask:ask",
    "chat": "chat:chat",
    "ingest": "ingest:ingest",
    "refine": "refine:refine",
    "search": "search:search",
    "gaps": "gaps:gaps",
    "worker": "worker:worker",
    "doctor": "doctor:doctor",
    "inspect": "window:inspect",
    "replay": "window:replay",
    "refute": "window:refute",
    "rollback": "window:rollback",
    "budget": "window:budget",
    "retention": "retention:retention",
    "collections": "collections:app",
    "memory": "memory:app",
    "approvals": "approvals:app",
    "tickets": "tickets:app",
}
"""Name → where it is in this package, in the order of the list."""


class _Commands(TyperGroup):
    """Lists the commands without importing one, and imports the one that is called."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given | {"commands": {name: TyperCommand(name) for name in COMMANDS}})

    def get_command(self, _: Any, name: str) -> TyperCommand | None:
        """Return a command as the list shows it."""
        return TyperCommand(name, help=summary(name)) if name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; an unknown name is an error with the names that are like it.

        Raises:
            UsageError: there is no such command, or an argument is not UTF-8: nothing could keep it.
        """
        if wrong := next((one for one in args if storable(one) != one), None):
            raise typer.BadParameter(f"{wrong!r} is not UTF-8. Set the terminal to UTF-8, and give it again.")
        name, _, rest = super().resolve_command(ctx, args)
        return name, imported(str(name)), rest


def summary(name: str) -> str:
    """Return the first line of a command's help, its docstring or that of a group's module, read without importing it."""
    module, _, attribute = COMMANDS[name].partition(":")
    source = ast.parse((resources.files("graph.cli") / f"{module}.py").read_text("utf-8"))
    functions = [one for one in source.body if isinstance(one, ast.FunctionDef) and one.name == attribute]
    return str(ast.get_docstring(functions[0] if functions else source)).partition("\n")[0]


def imported(name: str) -> Any:
    """Import a command, or a group of them."""
    module, _, attribute = COMMANDS[name].partition(":")
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
