"""What the business system knows of the user who asks; it outranks every memory."""

import json
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from nodes.passages import SUBSCRIPTION_TOOL
from nodes.tools.turn import Turn, tier
from store.business import Subscription, subscription_of

RECORD = "my-subscription#1"
"""The record's id: an answer cites it like a passage."""


class NoArgs(BaseModel):
    """No arguments: who asks is known."""


def get_subscription(turn: Turn) -> BaseTool:
    """Return the tool that reads the subscription of the user who asks, and of nobody else."""

    async def run() -> tuple[str, dict[str, Any]]:
        booked = await subscription_of(turn.opened.pool, turn.owner.tenant, turn.owner.user_id)
        return encode(booked), {"confidence": float(booked is not None)}

    return StructuredTool(
        name=SUBSCRIPTION_TOOL,
        description=(
            "The business system's record of the user who asks: plan, billing cycle, renewal date, seats. It outranks "
            "what the user or a memory says. 查询当前用户的套餐、计费周期、续费日期和席位数，以它为准。"
        ),
        args_schema=NoArgs,
        coroutine=run,
        response_format="content_and_artifact",
        metadata=tier("read"),
    )


def encode(booked: Subscription | None) -> str:
    """Return a subscription as the model reads it: one passage, so that it can be cited and checked."""
    if booked is None:
        return json.dumps(
            {"passages": [], "note": "没有记录 the business system has no subscription of this user"},
            ensure_ascii=False,
        )
    text = (
        f"您的套餐是{booked.plan}。\n您的计费周期是{booked.billing_cycle}。\n"
        f"您的套餐在 {booked.renews_on.isoformat()} 续费。\n您有 {booked.seats} 个席位。"
    )
    passage = {"id": RECORD, "section": "您的订阅 your subscription", "text": text}
    return json.dumps({"passages": [passage]}, ensure_ascii=False)
