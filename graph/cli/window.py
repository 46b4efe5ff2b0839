"""``supportpilot inspect | replay | refute | rollback | budget``: what calls hold, and what can be done about it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from graph import threads
from graph.cli.common import (
    AsJson,
    EmbeddingProgress,
    Tenant,
    User,
    context_of,
    err,
    out,
    print_json,
    run,
    write_file,
)
from graph.support import open_support
from graph.threads import POLICIES, Inspection
from nodes.scene import budget_of
from nodes.state import Context
from nodes.window.budget import describe
from nodes.window.picture import page
from nodes.window.summary import Record, Summary, cached_of, size_of, summary
from store.errors import SupportPilotError
from store.settings import settings

ThreadName = Annotated[str, typer.Option("--thread", help="Name or id of the conversation.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write a page with the picture to this file.")]
_WIDTH = 130
"""Columns that the table of calls takes at least: a narrow terminal scrolls or wraps, and nothing is cut."""

Fields = Annotated[
    list[str] | None,
    typer.Option(
        "--budget", metavar="FIELD=VALUE", help="A field of the budget for this command; repeatable."
    ),
]


def inspect(
    thread: ThreadName,
    user: User = "",
    tenant: Tenant = "default",
    budget: Fields = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Show what every model call of a thread held, kept cached and cost, and what left its window."""
    run(_inspect(thread, _context(user, tenant, budget), as_json, html), as_json)


async def _inspect(thread: str, context: Context, as_json: bool, html: Path | None) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        found = await threads.inspect(support, thread, context)
    if not found.calls:
        raise SupportPilotError(f"No model was called on thread {thread!r}.")
    total = summary(found.calls, found.budget)
    _write_page(html, f"thread {thread}", found, total)
    if as_json:
        plain = {"thread": thread, "summary": total.to_dict(), "calls": found.calls, "left": found.left}
        print_json(plain)
        return
    Console(width=max(out.width, _WIDTH), highlight=False).print(_calls(found.calls))
    out.print(_summaries({"recorded": total}))
    if total.warning:
        out.print(total.warning, style="yellow")


def replay(
    thread: ThreadName,
    policy: Annotated[str, typer.Option("--policy", help=" | ".join(POLICIES))] = "compact",
    user: User = "",
    tenant: Tenant = "default",
    budget: Fields = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    """Show what a thread's calls would have been under another policy or budget; no provider is asked."""
    if policy not in POLICIES:
        raise typer.BadParameter(f"{policy!r} is none of {', '.join(POLICIES)}")
    run(_replay(thread, policy, _context(user, tenant, budget), as_json, html), as_json)


async def _replay(thread: str, policy: str, context: Context, as_json: bool, html: Path | None) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        recorded = await threads.inspect(support, thread, context)
        replayed = await threads.replay(support, thread, context, policy)
    kinds = {"recorded": recorded, policy: replayed}
    totals = {name: summary(kind.calls, kind.budget) for name, kind in kinds.items() if kind.calls}
    _write_page(html, f"thread {thread}, {policy}", replayed, totals[policy])
    if as_json:
        plain: dict[str, Any] = {"thread": thread, "calls": replayed.calls, "left": replayed.left}
        plain["summaries"] = {name: total.to_dict() for name, total in totals.items()}
        print_json(plain)
    else:
        out.print(_summaries(totals))


def refute(
    thread: ThreadName,
    turn: Annotated[int, typer.Option("--turn", min=1, help="The turn that holds the error.")],
    reason: Annotated[str, typer.Argument(help="What was believed and why it is wrong, in one line.")],
    user: User = "",
    tenant: Tenant = "default",
) -> None:
    """Mark what was said in a turn as wrong; later answers are told not to build on it."""
    run(_refute(thread, context_of(user, tenant, ""), turn, reason))


async def _refute(thread: str, context: Context, turn: int, reason: str) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        await threads.refute(support, thread, context, turn, reason)
    out.print(f"Turn {turn} is marked as wrong.")


def rollback(
    thread: ThreadName,
    to: Annotated[int, typer.Option("--to", min=1, help="The last turn that stays.")],
    why: Annotated[str, typer.Option("--why", help="Why the later turns are given up.")] = "rolled back",
    user: User = "",
    tenant: Tenant = "default",
) -> None:
    """Let a thread go on from the end of an earlier turn; a record of what is given up stays."""
    run(_rollback(thread, context_of(user, tenant, ""), to, why))


async def _rollback(thread: str, context: Context, to: int, why: str) -> None:
    async with open_support(progress=EmbeddingProgress()) as support:
        await threads.rollback(support, thread, context, to, why)
    out.print(f"The thread goes on after turn {to}.")


def budget(fields: Fields = None, as_json: AsJson = False) -> None:
    """Show the window's budget: every field with its value, its meaning and the reason for its default."""
    run(_budget(_parsed(fields), as_json), as_json)


async def _budget(given: Mapping[str, Any], as_json: bool) -> None:
    made = budget_of(settings(), given)
    rows = [
        *describe(made),
        ("limit", made.limit, "no call exceeds it", "window − reserve"),
        (
            "ledger_tokens",
            made.ledger_tokens,
            "above it the ledger's oldest lines become one line",
            "high / 3",
        ),
    ]
    if as_json:
        print_json({name: value for name, value, _, _ in rows})
        return
    table = Table("field", "value", "meaning", "default, and why")
    for name, value, meaning, reason in rows:
        table.add_row(name, str(value), meaning, reason)
    out.print(table)


def _context(user: str, tenant: str, fields: Sequence[str] | None) -> Context:
    return Context(user_id=user, tenant=tenant, budget=_parsed(fields))


def _parsed(fields: Sequence[str] | None) -> dict[str, str]:
    if wrong := [field for field in fields or () if "=" not in field]:
        raise typer.BadParameter(f"{wrong[0]!r} is not FIELD=VALUE")
    return dict(field.split("=", 1) for field in fields or ())


def _write_page(html: Path | None, title: str, found: Inspection, total: Summary) -> None:
    if html is None:
        return
    write_file(html, page(title, found.calls, total, found.left))
    err.print(f"The page is in {html}", style="dim", markup=False)


def _calls(records: Sequence[Record]) -> Table:
    zones = list(records[0]["zones"])
    table = Table(
        "call", "turn", "tokens", *zones, "watermark", "cached", "predicted", "lost", "cause", "lines", "ms"
    )
    for n, record in enumerate(records, start=1):
        sizes = record["zones_actual"] or record["zones"]
        notes = f"+{record['notes_accepted']} −{record['notes_dropped']} {record['notes_failure'][:24]}"
        table.add_row(
            str(n),
            str(record["turn"]),
            str(size_of(record)),
            *(str(sizes[zone]) for zone in zones),
            f"{record['watermark']:.2f}",
            str(cached_of(record)),
            str(record["cached_predicted"]),
            str(record["lost"]),
            record["cause"],
            notes if notes != "+0 −0 " else "",
            f"{record['latency_ms'] or 0:.0f}",
        )
    return table


def _summaries(totals: Mapping[str, Summary]) -> Table:
    table = Table("", *totals)
    plain = [total.to_dict() for total in totals.values()]
    for name in plain[0]:
        table.add_row(name, *(f"{each[name]:,.2f}".removesuffix(".00") for each in plain))
    return table
