"""What the commands share: options, running, errors, progress."""

import asyncio
import json
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from nodes.state import Context
from store.errors import SupportPilotError
from store.postgres import typed_errors

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

Thread = Annotated[str, typer.Option("--thread", help="Name or id of the conversation; default: a new one.")]
User = Annotated[
    str, typer.Option("--user", help="Whose conversation it is; without a user nothing is remembered.")
]
Tenant = Annotated[str, typer.Option("--tenant", help="Whose users these are.")]
CollectionName = Annotated[
    str, typer.Option("--collection", help="Collection to use; default: the setting's.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Print route, tool calls, tokens and time.")]


def context_of(user: str, tenant: str, collection: str) -> Context:
    """Return the run context of the command line's options."""
    return Context(user_id=user, tenant=tenant, collection=collection)


def run(work: Coroutine[Any, Any, None], as_json: bool = False) -> None:
    """Run a command's work; an error of the product, or of the database, is printed and ends with exit code 1.

    Args:
        work: the command's work.
        as_json: whether JSON was asked for; then the error is the one object on stdout, too.
    """
    try:
        with typed_errors():
            asyncio.run(work)
    except SupportPilotError as error:
        if as_json:
            print_json({"error": {"type": type(error).__name__, "message": str(error)}})
        err.print(f"[bold red]{type(error).__name__}[/]: ", end="")
        err.print(str(error), markup=False)
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def write_file(file: Path, text: str) -> None:
    """Write a file that the command line names.

    Raises:
        SupportPilotError: it cannot be written.
    """
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise SupportPilotError(
            f"{str(file)!r} cannot be written ({error.strerror}). Name another file."
        ) from error


def print_json(found: object) -> None:
    """Print one JSON object, Chinese as itself, dates and ids as texts."""
    typer.echo(json.dumps(found, ensure_ascii=False, indent=2, default=str))


_QUIET_SECONDS = 15.0


class EmbeddingProgress:
    """A progress bar that appears with the first chunk to embed, on stderr; in a log, a line now and then."""

    def __init__(self) -> None:
        self._said = 0.0
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=err,
            disable=not sys.stderr.isatty(),
        )
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show how far the embedding is."""
        if self._task is None:
            err.print(f"Embedding {total} chunks …")
            self._said = time.monotonic()
            self._bar.start()
            self._task = self._bar.add_task("Embedding", total=total)
        self._bar.update(self._task, completed=done, total=total)
        if self._bar.disable and done < total and time.monotonic() - self._said >= _QUIET_SECONDS:
            err.print(f"{done} of {total} …")
            self._said = time.monotonic()
        if done >= total:
            self._bar.stop()
