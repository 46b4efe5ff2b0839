"""Work on conversations that were handed over. The operator is staff."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from graph.cli.common import AsJson, Tenant, out, print_json, run
from graph.desk import answer_ticket, give_back
from graph.support import open_knowledge_only, open_support
from nodes.state import Context
from store.settings import settings
from store.tickets import Ticket, TicketMessage, list_tickets, ticket, ticket_messages

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

Number = Annotated[int, typer.Argument(help="The ticket, as `tickets list` shows it.", metavar="TICKET")]
Name = Annotated[str, typer.Option("--as", help="Name of the person who speaks.")]


@app.command("list")
def list_(
    tenant: Tenant = "default",
    everything: Annotated[bool, typer.Option("--all", help="Also closed ones.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the open tickets, oldest first."""
    run(_list(tenant, everything, as_json), as_json)


@app.command()
def show(number: Number, tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Show a ticket: why it was opened, what was tried, what was said since."""
    run(_show(number, tenant, as_json), as_json)


@app.command()
def answer(
    number: Number,
    text: Annotated[str, typer.Argument(help="What to say to the user.")],
    name: Name = "",
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Say something to the user, in their conversation."""
    run(_answer(number, text, Context(user_id=name, tenant=tenant, role="staff"), as_json), as_json)


@app.command()
def close(number: Number, name: Name = "", tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Give the conversation back to the agent."""
    run(_close(number, Context(user_id=name, tenant=tenant, role="staff"), as_json), as_json)


async def _list(tenant: str, everything: bool, as_json: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        found = await list_tickets(opened.pool, tenant, closed=everything)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        state = "closed" if one.closed_at else "open"
        out.print(
            f"{one.ticket_id}  {state}  {one.opened_at:%Y-%m-%d %H:%M}  {one.user_id or '-'}  {one.reason}",
            style="cyan",
            markup=False,
        )
        out.print(f"  {one.summary}", markup=False)
    if not found:
        out.print("No ticket is open.")


async def _show(number: int, tenant: str, as_json: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        found = await ticket(opened.pool, tenant, number)
        said = await ticket_messages(opened.pool, number)
    _print(found, said, as_json)


async def _answer(number: int, text: str, by: Context, as_json: bool) -> None:
    async with open_support() as support:
        found = await answer_ticket(support, number, text, by=by)
        said = await ticket_messages(support.resources.pool, number)
    _print(found, said, as_json)


async def _close(number: int, by: Context, as_json: bool) -> None:
    async with open_support() as support:
        found = await give_back(support, number, by=by)
        said = await ticket_messages(support.resources.pool, number)
    _print(found, said, as_json)


def _print(found: Ticket, said: list[TicketMessage], as_json: bool) -> None:
    if as_json:
        print_json(asdict(found) | {"messages": [asdict(one) for one in said]})
        return
    state = f"closed by {found.closed_by}" if found.closed_at else "open"
    out.print(f"Ticket {found.ticket_id}, {state}: {found.reason}", style="cyan", markup=False)
    out.print(f"user: {found.user_id or '-'} ({found.tenant}) · thread: {found.thread_id}", markup=False)
    out.print(f"summary: {found.summary}", markup=False)
    for one in found.tried:
        args = json.dumps(one.args, ensure_ascii=False)
        out.print(f"tried: {one.tool} {args} → {', '.join(one.found)}", markup=False)
    for name, values in (("evidence", found.evidence), ("open", found.open_questions)):
        if values:
            out.print(f"{name}: {'; '.join(values)}", markup=False)
    for message in said:
        out.print(f"{message.at:%H:%M} {message.author}: {message.text}", markup=False)
