"""The help centres that were ingested."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph.cli.common import AsJson, out, print_json, run
from graph.support import open_knowledge_only
from store.knowledge import delete_collection, find_collection, list_collections
from store.sample import collection_in_use
from store.settings import settings

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the collections; the one that answers where none is named is marked."""
    run(_list(as_json), as_json)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The collection.", metavar="NAME")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a collection with all that it holds; the files that it was read from stay."""
    run(_remove(name, yes))


async def _list(as_json: bool) -> None:
    configured = settings()
    async with open_knowledge_only(configured) as opened:
        found = await list_collections(opened.knowledge)
        used = await collection_in_use(opened.knowledge, configured)
    if as_json:
        print_json([asdict(one) | {"answers": one.name == used} for one in found])
        return
    for one in found:
        mark = "*" if one.name == used else " "
        out.print(f"{mark} {one.name}  {one.documents} documents, {one.chunks} chunks, from {one.source}", markup=False)  # fmt: skip
    if not found:
        out.print("Nothing was ingested yet.")
    elif used not in {one.name for one in found}:
        out.print(f"None of them answers where none is named: that would be {used!r} (SUPPORTPILOT_COLLECTION).", style="yellow", markup=False)  # fmt: skip


async def _remove(name: str, yes: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        found = await find_collection(opened.knowledge, name)
        if not yes:
            typer.confirm(f"Remove {name!r} with {found.documents} documents?", abort=True)
        await delete_collection(opened.knowledge, name)
    out.print(f"{name} is removed.", markup=False)
