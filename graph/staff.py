"""What the staff decides on other users' requests, and how the thread goes on after it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.types import Command, StateSnapshot

from graph.support import Support, asked_by, config_of
from nodes.approvals import approval_id, outcome, wording
from nodes.hitl import storable_decision
from nodes.language import Language, answer_language
from nodes.log import current_turn
from nodes.mcp import mcp_tools
from nodes.settle import unanswered
from nodes.state import Context
from nodes.tools.actions import rehearse
from store.approvals import Approval, Decision, approvals, check_decider, decide, list_approvals
from store.arguments import check_type
from store.errors import ActionRefusedError, NotFoundError
from store.postgres import typed_errors
from store.resources import using
from store.turn_lock import turn_lock

_WITHDRAWN = Decision("refused", note="The turn that asked for this was rolled back.")


async def decide_approval(support: Support, approval: str, decision: Decision, *, by: Context) -> Approval:
    """Decide on a request, and let its thread go on.

    Deciding the same again changes nothing and finishes what was cut short.

    Args:
        support: the product.
        approval: id of the request.
        decision: approved, edited or refused.
        by: who decides; needs the role ``staff``.

    Returns:
        The approval as it stands now.

    Raises:
        AccessDeniedError: this person may not decide on this request.
        NotFoundError: there is no such request.
        ActionRefusedError: its turn was rolled back, it was decided otherwise, its
            arguments are no JSON object, or the business system would refuse it.
        MalformedError: an argument has not its type, or the name of who decides has characters that cannot be stored.
        ModelError: the decision stands and what was approved is done, but the model fails to say so.
    """
    by, person = asked_by(by)
    check_type("Decision", decision, Decision)
    decision = storable_decision(decision)
    with typed_errors():
        asked = await _approval(support, approval)
        check_decider(person, asked, staff=by.role == "staff")
        # Under the lock: a rollback comes before the decision or after what it leads to, never between.
        async with turn_lock(support.resources.locks, str(asked.thread_id)):
            asked = await _approval(support, approval)
            await _decide(support, asked, decision, by.user_id or "the command line's operator")
            await _go_on(support, await _approval(support, approval))
        return await _approval(support, approval)


async def withdraw(support: Support, thread: str, kept: Sequence[BaseMessage], tenant: str) -> None:
    """Refuse the requests of a thread that wait and that the log which it goes on from does not hold.

    Args:
        support: the product.
        thread: id of the thread.
        kept: the log that stays.
        tenant: the thread's.
    """
    pool = support.resources.pool
    for one in await list_approvals(pool, tenant, thread=thread, pending=True):
        if one.approval_id not in _requests(thread, kept):
            await decide(pool, one.approval_id, _WITHDRAWN, by="rollback")


async def _decide(support: Support, asked: Approval, decision: Decision, by: str) -> None:
    """Keep a decision, unless its request is gone, it cannot be carried out or another one stands."""
    pool, thread = support.resources.pool, str(asked.thread_id)
    log = (await support.state(thread)).get("messages", [])
    if asked.outcome is None and asked.approval_id not in _requests(thread, log):
        raise ActionRefusedError(
            f"Approval {asked.approval_id} is gone: its turn was rolled back, and nothing was done."
            " The user can ask again."
        )
    if decision.args is not None:
        await rehearse(pool, replace(asked, final_args=decision.args))
    if await decide(pool, asked.approval_id, decision, by=by):
        return
    stands = await _approval(support, str(asked.approval_id))
    if (stands.status, stands.final_args) != (decision.status, decision.args):
        raise ActionRefusedError(
            f"Approval {stands.approval_id} was {stands.status} by {stands.decided_by} already; that stands."
        )


async def _approval(support: Support, approval: str) -> Approval:
    check_type("Approval", approval, str)
    try:
        found = await approvals(support.resources.pool, [UUID(approval)])
    except ValueError:
        found = []
    if not found:
        raise NotFoundError(f"There is no approval {approval!r}. `supportpilot approvals list` names them.")
    return found[0]


async def _go_on(support: Support, decided: Approval) -> None:
    """Resume the turn that waits; where a later message has ended the waiting, act and say so in the thread."""
    thread = str(decided.thread_id)
    snapshot = await support.graph.aget_state(config_of(thread))
    log: list[BaseMessage] = snapshot.values.get("messages", [])
    # The newest turn stands at this request, or went on from it and was cut short. Not `next`: it leaves out a step
    # whose writes are stored and whose checkpoint is not.
    if snapshot.tasks and decided.approval_id in _requests(thread, current_turn(log)):
        await _resume(support, snapshot, decided)
        return
    others = await mcp_tools(support.resources.settings.mcp_config)
    became = await outcome(support.resources.pool, decided, others)
    said = AIMessage(
        wording(decided.tool, became, language_of(log)),
        id=str(uuid5(NAMESPACE_OID, str(decided.approval_id))),
    )
    if _told_to_wait(log, decided) and said.id not in {m.id for m in log}:
        await support.graph.aupdate_state(config_of(thread), {"messages": [said]}, as_node="finish")


def _requests(thread: str, log: Sequence[BaseMessage]) -> set[UUID]:
    """Return the ids that approvals of a log's calls have."""
    asked = [(m.id or "", c) for m in log if isinstance(m, AIMessage) for c in m.tool_calls]
    return {approval_id(thread, *one) for one in asked}


def _told_to_wait(log: Sequence[BaseMessage], decided: Approval) -> bool:
    """Tell whether the call was answered with "waiting", so that the thread still owes the outcome."""
    results = {m.id: m for m in log if isinstance(m, ToolMessage)}
    for message in log:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            if approval_id(str(decided.thread_id), message.id or "", call) == decided.approval_id:
                answered = results.get(f"{message.id}-{call['id']}")
                return answered is not None and '"status": "waiting"' in answered.text
    return False


async def _resume(support: Support, snapshot: StateSnapshot, decided: Approval) -> None:
    """Let the turn go on as the user's own, once every request of its step is decided."""
    log = snapshot.values["messages"]
    thread = str(decided.thread_id)
    ids = [approval_id(thread, step, call) for step, call in unanswered(log)]
    if any(one.status == "pending" for one in await approvals(support.resources.pool, ids)):
        return
    context = Context(user_id=decided.user_id, tenant=decided.tenant, **decided.run)
    run: Any = support.graph.astream(
        Command(resume={"decisions": []}) if snapshot.interrupts else None,  # the table says what was decided
        config_of(thread),
        context=context,
        durability="sync",
    )
    async for _ in using(support.resources, run):
        pass


def language_of(log: Sequence[BaseMessage]) -> Language:
    """Return the language in which the user of a thread is answered."""
    newest = next((m for m in reversed(log) if isinstance(m, HumanMessage)), None)
    return answer_language(newest or HumanMessage(""))
