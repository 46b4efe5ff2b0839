"""Decide on what the agent wants to do. The operator is staff."""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from graph.cli.common import AsJson, Tenant, out, print_json, run
from graph.staff import decide_approval
from graph.support import open_knowledge_only, open_support
from nodes.state import Context
from store.approvals import Approval, Decision, list_approvals
from store.settings import settings

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False)

Id = Annotated[str, typer.Argument(help="Id of the request, as `approvals list` shows it.", metavar="ID")]
Note = Annotated[str, typer.Option("--note", help="What the user is told about it.")]


@app.command("list")
def list_(
    tenant: Tenant = "default",
    everything: Annotated[bool, typer.Option("--all", help="Also those that were decided.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the requests that wait, oldest first."""
    run(_list(tenant, everything, as_json), as_json)


@app.command()
def approve(id_: Id, note: Note = "", tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Approve a request: it is carried out once, and the conversation goes on."""
    run(_decide(id_, Decision("approved", note=note), tenant, as_json), as_json)


@app.command()
def edit(
    id_: Id,
    args: Annotated[str, typer.Argument(help="The right arguments, as a JSON object.", metavar="JSON")],
    note: Note = "",
    tenant: Tenant = "default",
    as_json: AsJson = False,
) -> None:
    """Approve a request with other arguments."""
    run(_decide(id_, Decision("edited", _object(args), note), tenant, as_json), as_json)


@app.command()
def refuse(id_: Id, note: Note = "", tenant: Tenant = "default", as_json: AsJson = False) -> None:
    """Refuse a request: nothing is done, and the conversation goes on."""
    run(_decide(id_, Decision("refused", note=note), tenant, as_json), as_json)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{text!r} is no JSON object.", param_hint="JSON")
    return found


async def _list(tenant: str, everything: bool, as_json: bool) -> None:
    async with open_knowledge_only(settings()) as opened:
        found = await list_approvals(opened.pool, tenant, pending=not everything)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for one in found:
        _print(one)
    if not found:
        out.print("Nothing waits.")


async def _decide(id_: str, decision: Decision, tenant: str, as_json: bool) -> None:
    async with open_support() as support:
        done = await decide_approval(support, id_, decision, by=Context(tenant=tenant, role="staff"))
    if as_json:
        print_json(asdict(done))
    else:
        _print(done)


def _print(one: Approval) -> None:
    out.print(f"{one.approval_id}  {one.status}  {one.created_at:%Y-%m-%d %H:%M}", style="cyan", markup=False)
    out.print(f"  {one.description}", markup=False)
    if one.status != "pending":
        out.print(f"  {one.status} by {one.decided_by}. {one.note}", style="dim", markup=False)
    if one.outcome is not None:
        out.print(f"  outcome: {json.dumps(one.outcome, ensure_ascii=False)}", style="dim", markup=False)
