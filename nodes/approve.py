"""Approval: a call of a write-tier tool stops the turn until a person has decided on it.

What was decided stands in the table of approvals, and only that counts: a resume that comes straight from a user
interface is written there after its sender's role was checked, and is asked for again when it may not decide.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from nodes.approvals import approval_ids, outcome, result
from nodes.hitl import hitl_request, read_response
from nodes.identity import asker, is_staff, owner, run_context, thread_of
from nodes.state import Context, State
from nodes.tools.actions import rehearse
from nodes.tools.bound import tools
from nodes.tools.run import Call, open_calls
from nodes.tools.turn import tier_of
from store.approvals import (
    Approval,
    approvals,
    check_decider,
    decide,
    list_approvals,
    request_approval,
)
from store.errors import AccessDeniedError, ActionRefusedError
from store.postgres import Pool
from store.resources import resources

_LOG = logging.getLogger(__name__)
MOST_REQUESTS = 5
"""Different requests of one step that are put before a person: more than one message of a user asks for."""

_TOO_MANY = ActionRefusedError(
    f"Only {MOST_REQUESTS} requests of one step are put before a person. Ask for this one again later."
)
_IDENTITY = ("user_id", "tenant", "role")


async def approve(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Stop until every write-tier call of the step is decided, then answer each with what became of it.

    Whoever resumes without the right to decide changes nothing: no call is answered, and the step runs again.
    """
    pool, bound = (await resources()).pool, await tools(state, runtime)
    step, calls = calls_to_approve(state["messages"], bound)
    ids = approval_ids(thread_of(runtime), step, calls)
    admitted = list(dict.fromkeys(ids))[:MOST_REQUESTS]
    asked = [
        await _ask(pool, id_, call, ids, state, runtime) if id_ in admitted else _TOO_MANY
        for id_, call in zip(ids, calls, strict=True)
    ]
    rows = list({one.approval_id: one for one in asked if isinstance(one, Approval)}.values())
    if any(row.status == "pending" for row in rows):
        await _record(pool, interrupt(hitl_request(rows)), rows, runtime)
        now = {row.approval_id: row for row in await approvals(pool, ids)}
        if any(row.status == "pending" for row in now.values()):
            return {}
        asked = [now[one.approval_id] if isinstance(one, Approval) else one for one in asked]
    became = [await outcome(pool, one, bound) for one in asked]
    return {"messages": [result(step, call, each) for call, each in zip(calls, became, strict=True)]}


def calls_to_approve(log: Sequence[BaseMessage], bound: Sequence[BaseTool]) -> tuple[str, list[Call]]:
    """Return the newest assistant message's id and those of its calls that a person has to approve.

    Args:
        log: the thread's.
        bound: the tools of the turn.
    """
    step, calls = open_calls(log)
    write = {tool.name for tool in bound if tier_of(tool) == "write"}
    return step, [call for call in calls if call["name"] in write]


async def _ask(
    pool: Pool, id_: UUID, call: Call, ids: Sequence[UUID], state: State, runtime: Runtime[Context]
) -> Approval | ActionRefusedError:
    """Put a call before the staff and return it as it stands, or why that is not possible."""
    if known := await approvals(pool, [id_]):
        return known[0]
    if not thread_of(runtime):
        return ActionRefusedError(
            "Nothing can be approved in a conversation that is not kept. Offer to pass the user to a person."
        )
    who, args = asker(state, runtime), call["args"]
    if not isinstance(args, Mapping):
        return ActionRefusedError(
            f"The arguments of {call['name']} are not a JSON object: {str(args)[:80]!r}."
        )
    waiting = await list_approvals(pool, who.tenant, thread=thread_of(runtime), pending=True)
    if others := [one for one in waiting if one.approval_id not in ids]:
        return ActionRefusedError(
            f"{others[0].tool} waits for a person's decision already; one request at a time. Tell the user so.",
            "one waits",
        )
    asked = Approval(
        approval_id=id_,
        thread_id=UUID(thread_of(runtime)),
        tenant=who.tenant,
        user_id=who.user_id,
        tool=str(call["name"]),
        args=dict(args),
        description="",
        run={name: value for name, value in asdict(run_context(runtime)).items() if name not in _IDENTITY},
    )
    try:
        facts = await rehearse(pool, asked)
    except ActionRefusedError as error:
        return error
    return await request_approval(pool, replace(asked, description=described(asked, facts)))


def described(asked: Approval, facts: Mapping[str, Any]) -> str:
    """Say in a line what a person is asked to approve, and what the business system knows of it."""
    known = {name: value for name, value in facts.items() if str(asked.approval_id) != str(value)}
    return f"{asked.user_id} asks for {asked.tool}: " + json.dumps(known | asked.args, ensure_ascii=False)


async def _record(pool: Pool, response: object, rows: Sequence[Approval], runtime: Runtime[Context]) -> None:
    """Keep the decisions of a response that came with the run, as far as its sender may decide."""
    person = owner(runtime)
    try:
        for row, decision in zip(rows, read_response(response, rows), strict=True):
            check_decider(person, row, staff=is_staff(runtime))
            if decision.args is not None:
                await rehearse(pool, replace(row, final_args=decision.args))
            await decide(pool, row.approval_id, decision, by=person.user_id)
    except (AccessDeniedError, ActionRefusedError) as error:
        _LOG.warning("a decision was not accepted: %s", error)
