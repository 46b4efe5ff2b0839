"""The write-tier tools over the sample business: what they ask for, and how they act once a person has approved."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field, ValidationError

from nodes.tools.turn import tier
from nodes.window.tokens import content_text
from store import business
from store.acting import act, act_elsewhere
from store.approvals import Approval, Outcome
from store.arguments import wrong_parts
from store.errors import ActionRefusedError
from store.postgres import Connection, Pool

_LOG = logging.getLogger(__name__)
_SECONDS = 60
"""Time that another system has for an approved action: longer than for a look-up, for it is not tried again."""


class RefundArgs(BaseModel):
    """Arguments of ``request_refund``."""

    reason: str = Field(
        min_length=1, max_length=500, description="Why, in the user's words. 退款原因,用用户自己的话"
    )


class ReissueArgs(BaseModel):
    """Arguments of ``reissue_invoice``."""

    invoice_no: str = Field(min_length=1, max_length=100, description="The invoice's number. 发票号")
    title: str = Field(min_length=1, max_length=200, description="The right title. 正确的抬头")


async def _refund(connection: Connection, approval: Approval) -> Mapping[str, str]:
    args = RefundArgs(**approval.accepted_args)
    return await business.request_refund(
        connection, approval.owner, action=approval.approval_id, reason=args.reason
    )


async def _reissue(connection: Connection, approval: Approval) -> Mapping[str, str]:
    args = ReissueArgs(**approval.accepted_args)
    return await business.reissue_invoice(
        connection,
        approval.owner,
        action=approval.approval_id,
        invoice_no=args.invoice_no,
        title=args.title,
    )


ACTIONS = {"request_refund": _refund, "reissue_invoice": _reissue}
"""Name of a tool → what it does on the business system's tables."""


async def rehearse(pool: Pool, approval: Approval) -> Mapping[str, Any]:
    """Carry an action out and take it back, so that nobody is asked to approve what cannot be done.

    Actions on other systems cannot be taken back, so they are not rehearsed.

    Returns:
        What the action would give.

    Raises:
        ActionRefusedError: nobody is signed in, the arguments do not fit, or the business system would refuse.
    """
    if not approval.user_id:
        raise ActionRefusedError(
            "Nobody is signed in: an action needs a user. Ask the user to sign in.", "not signed in"
        )
    if approval.tool not in ACTIONS:
        return {}
    async with pool.connection() as connection, connection.transaction(force_rollback=True):
        try:
            return await ACTIONS[approval.tool](connection, approval)
        except ValidationError as error:
            raise ActionRefusedError(f"Wrong arguments for {approval.tool}: {wrong_parts(error)}.") from error


async def carry_out(pool: Pool, approval: Approval, tool: BaseTool | None) -> Outcome:
    """Carry out what was approved, once.

    Args:
        pool: the database.
        approval: approved or edited.
        tool: acts where the action is not one of the business system's; gone when its server is.
    """
    if approval.tool in ACTIONS:
        return await act(pool, approval.approval_id, ACTIONS[approval.tool])

    async def elsewhere(approved: Approval) -> Outcome:
        if tool is None:
            return {"error": f"There is no tool {approved.tool!r} any more; nothing was done."}
        try:
            async with asyncio.timeout(_SECONDS):
                return {"result": content_text(await tool.ainvoke(approved.accepted_args))}
        except Exception as error:  # noqa: BLE001 - whatever another system's tool raises is its outcome
            _LOG.exception("approved tool %s failed", approved.tool)
            return {"error": f"{approved.tool} failed: {type(error).__name__}. A person has to check."}

    return await act_elsewhere(pool, approval.approval_id, elsewhere)


def action_tools() -> list[BaseTool]:
    """Return the tools, as the model is shown them; they never run by themselves."""
    return [
        _tool(
            "request_refund",
            RefundArgs,
            "Request a refund of this user's subscription. A person approves it first. Call it only when the user"
            " asks for the refund itself, not for how refunds work. 为该用户申请退款,须由工作人员批准;"
            "仅当用户明确要求办理退款时调用,询问退款规则时不要调用。",
        ),
        _tool(
            "reissue_invoice",
            ReissueArgs,
            "Have an invoice of this user reissued under the right title. A person approves it first. Ask for number"
            " and title when the user has not given them. 为该用户的发票更正抬头并重开,须由工作人员批准;"
            "用户没有给出发票号或抬头时先询问。",
        ),
    ]


def _tool(name: str, args: type[BaseModel], description: str) -> BaseTool:
    async def needs_approval(**_: Any) -> str:
        raise ActionRefusedError(f"{name} runs only after a person has approved it.")

    return StructuredTool(
        name=name,
        description=description,
        args_schema=args,
        coroutine=needs_approval,
        metadata=tier("write"),
    )
