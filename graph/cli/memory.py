"""What is remembered of a user: list, show, export, import, correct, forget."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from graph.cli.common import AsJson, Tenant, err, out, print_json, run, write_file
from nodes.memory.commands import concerned
from store.embedding import open_embedder
from store.erasure import Receipt, forget, remove
from store.errors import MalformedError
from store.memories import MemoryStore
from store.memory import Memory
from store.persistence import open_persistence
from store.postgres import open_pool
from store.reembedding import reembed
from store.settings import settings
from store.threads import Owner
from store.transfer import correct_memory, export_memories, import_memories, one_memory

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

User = Annotated[str, typer.Option("--user", help="Whose memories.")]
MemoryId = Annotated[str, typer.Argument(help="Id of a memory, or its beginning.", metavar="ID")]
_ID_SHOWN = 8
"""Characters of an id that the list shows; fewer, such as one digit, are not taken for an id when forgetting."""
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]
Closed = Annotated[bool, typer.Option("--all", help="With what no longer holds.")]


@app.command("list")
def list_memories(
    user: User, tenant: Tenant = "default", closed: Closed = False, as_json: AsJson = False
) -> None:
    """List what is remembered, newest first."""
    run(_list(Owner(tenant, user), closed, as_json), as_json)


@app.command()
def show(memory: MemoryId, user: User, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Show one memory with the words that it rests on."""
    run(_show(Owner(tenant, user), memory, as_json), as_json)


@app.command()
def export(
    user: User,
    tenant: Tenant = "default",
    file: Annotated[
        Path | None, typer.Option("--out", help="File to write; default: standard output.")
    ] = None,
) -> None:
    """Export everything as JSON: what no longer holds, evidence and counters included."""
    run(_export(Owner(tenant, user), file))


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="An export; - reads standard input.", metavar="FILE")],
    user: User,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Bring exported memories back, under their ids."""
    run(_import(Owner(tenant, user), file, as_json), as_json)


@app.command()
def correct(
    memory: MemoryId,
    text: Annotated[str, typer.Argument(help="What holds instead.")],
    user: User,
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Correct a memory; the old wording is kept as history."""
    run(_correct(Owner(tenant, user), memory, text, as_json), as_json)


@app.command("forget")
def forget_(
    user: User,
    what: Annotated[
        str, typer.Argument(help="A memory's id, or what it is about; default: everything.", metavar="[WHAT]")
    ] = "",
    tenant: Tenant = "default",
    threads: Annotated[bool, typer.Option("--threads", help="The conversations as well.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Forget a user, or one thing about a user; prints a receipt without content."""
    if what and threads:
        raise typer.BadParameter(
            "goes with forgetting everything, not with a single thing.", param_hint="--threads"
        )
    owner = Owner(tenant, user)
    if not yes:
        scope = f"what is remembered of {user!r} about {what!r}" if what else f"everything about {user!r}"
        typer.confirm(f"Forget {scope}{', and all conversations' if threads else ''}?", abort=True, err=True)
    run(_forget_some(owner, what, as_json) if what else _forget(owner, threads, as_json), as_json)


@app.command("reembed")
def reembed_(as_json: AsJson = False) -> None:
    """Embed the memories of all users anew, after the embedding model was changed. Stop the service meanwhile."""
    run(_reembed(as_json), as_json)


async def _list(owner: Owner, closed: bool, as_json: bool) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        memories = await store.of(owner, closed=closed)
    if as_json:
        print_json([asdict(memory) for memory in memories])
        return
    table = Table(show_edge=False)
    for column in ("id", "kind", "memory", "since", "source", "status"):
        table.add_column(column, overflow="fold")  # Chinese has no blanks to wrap at, and would be cut
    for memory in memories:
        since = (memory.event_time or memory.written)[:10]
        table.add_row(memory.id[:_ID_SHOWN], memory.kind, memory.text, since, memory.source, memory.status)
    out.print(table if memories else f"Nothing is remembered of {owner.user_id!r}.", soft_wrap=False)


async def _show(owner: Owner, memory_id: str, as_json: bool) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        memory = await one_memory(store, owner, memory_id)
    if as_json:
        print_json(asdict(memory))
        return
    for name, value in asdict(memory).items():
        if name != "evidence" and value:
            out.print(f"{name + ':':12} {value}", markup=False)
    for one in memory.evidence:
        place = f"message {one.message_id}, thread {one.thread_id}" if one.thread_id else one.message_id
        out.print(f"evidence:    「{one.span}」 {place}", markup=False)


async def _export(owner: Owner, file: Path | None) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        exported = await export_memories(store, owner)
    if file is None:
        print_json(exported)
        return
    await asyncio.to_thread(write_file, file, json.dumps(exported, ensure_ascii=False, indent=1))
    err.print(f"{len(exported['memories'])} memories in {file}", markup=False)


async def _import(owner: Owner, file: Path, as_json: bool) -> None:
    exported = await asyncio.to_thread(_read, file)
    async with open_persistence(settings()) as (_, _saver, store):
        count = await import_memories(store, owner, exported)
    _tell({"imported": count}, f"{count} memories imported.", as_json)


def _read(file: Path) -> Any:
    try:
        return json.loads(sys.stdin.read() if str(file) == "-" else file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise MalformedError(
            f"{str(file)!r} cannot be read as an export: {error}. Give a file of `memory export`."
        ) from error


async def _correct(owner: Owner, memory_id: str, text: str, as_json: bool) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        memory = await correct_memory(store, owner, memory_id, text)
    _tell(asdict(memory), f"{memory.id[:_ID_SHOWN]} now says: {memory.text}", as_json)


async def _forget(owner: Owner, threads: bool, as_json: bool) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        receipt: Receipt = await forget(store, owner, threads=threads)
    found = {
        "removed": {k: v for k, v in receipt.rows.items() if v},
        "total": receipt.total,
    }
    rows = ", ".join(f"{table} {count}" for table, count in receipt.rows.items() if count)
    _tell(found, f"Removed {receipt.total} rows{': ' + rows if rows else ''}.", as_json)


async def _forget_some(owner: Owner, what: str, as_json: bool) -> None:
    async with open_persistence(settings()) as (_, _saver, store):
        gone = await _meant(store, owner, what)
        await remove(store, owner, gone)
    _tell({"removed": [memory.id for memory in gone]}, f"Removed {len(gone)} memories.", as_json)


async def _meant(store: MemoryStore, owner: Owner, what: str) -> Sequence[Memory]:
    known = await store.of(owner, closed=True)
    named = [memory for memory in known if len(what) >= _ID_SHOWN and memory.id.startswith(what)]
    return named or concerned(what, known)


async def _reembed(as_json: bool) -> None:
    configured = settings()
    async with open_pool(configured) as pool:
        count = await reembed(pool, open_embedder(configured))
    _tell({"reembedded": count}, f"{count} memories embedded anew.", as_json)


def _tell(found: Any, said: str, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        out.print(said, markup=False)
