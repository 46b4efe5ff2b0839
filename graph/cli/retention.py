"""``supportpilot retention``: remove what is older than the settings keep it."""

from typing import Annotated

import typer

from graph.cli.common import AsJson, out, print_json, run
from store.persistence import open_persistence
from store.retention import expire, expired
from store.settings import settings


def retention(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and remove nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove old conversations and memories; a worker does it once an hour."""
    run(_retention(dry_run, as_json), as_json)


async def _retention(dry_run: bool, as_json: bool) -> None:
    configured = settings()
    async with open_persistence(configured) as (pool, _saver, _memories):
        receipt = await (expired if dry_run else expire)(pool, configured)
    if as_json:
        print_json({"dry_run": dry_run, "rows": receipt.rows})
        return
    kept = {"conversations": configured.thread_days, "memories": configured.memory_days}
    for what, days in kept.items():
        out.print(f"{what} are kept {f'for {days} days' if days else 'for ever'}", style="dim")
    said = "would be removed" if dry_run else "removed"
    out.print(", ".join(f"{rows} {table}" for table, rows in receipt.rows.items() if rows) or "nothing", said)
