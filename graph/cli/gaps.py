"""``supportpilot gaps``: what users asked and the help centre does not answer."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph.cli.common import AsJson, Tenant, out, print_json, run
from graph.support import open_knowledge_only
from store.gaps import GapGroup, group_gaps, list_gaps
from store.settings import settings

_EXAMPLES = 5


def gaps(
    tenant: Tenant = "default",
    collection: Annotated[
        str, typer.Option("--collection", help="Only those asked of it; default: all.")
    ] = "",
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="Groups at the most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the questions that found no answer, those that mean the same as one, the most frequent first."""
    run(_gaps(tenant, collection, limit, as_json), as_json)


async def _gaps(tenant: str, collection: str, limit: int, as_json: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        found = await list_gaps(opened.pool, tenant, collection=collection)
        groups = (await group_gaps(found, opened.knowledge.embedder))[:limit]
    if as_json:
        listed = [
            {"count": group.count, "questions": [asdict(gap) for gap in group.gaps]} for group in groups
        ]
        print_json(listed)
        return
    several = len({gap.collection for gap in found}) > 1
    for group in groups:
        _print(group, several)
    if not groups:
        out.print("No question was left without an answer.")


def _print(group: GapGroup, several: bool) -> None:
    first, *others = group.gaps
    where = f"{first.collection}, " if several else ""
    out.print(f"{group.count:>4}  {first.question}  ({where}last {first.last:%Y-%m-%d})", markup=False)
    for gap in others[: _EXAMPLES - 1]:
        out.print(f"{gap.count:>9}  {gap.question}", style="dim", markup=False)
    if len(others) >= _EXAMPLES:
        out.print(f"           … and {len(others) - _EXAMPLES + 1} more", style="dim")
