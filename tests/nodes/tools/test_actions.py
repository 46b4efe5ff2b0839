"""Approved actions of other systems' tools: carried out once, and every failure is an outcome."""

import pytest
from langchain_core.tools import StructuredTool, tool

from nodes.tools.actions import action_tools, carry_out
from nodes.tools.turn import tier_of
from store.approvals import Approval, Decision, approvals, decide
from store.errors import ActionRefusedError
from store.postgres import Pool
from tests.store.test_approvals import requested


async def approved(pool: Pool) -> Approval:
    id_ = await requested(pool)
    await decide(pool, id_, Decision("edited", {"to": "乙"}), "sam")
    return (await approvals(pool, [id_]))[0]


def sending(sent: list[str], *, fails: bool = False) -> StructuredTool:
    @tool
    async def send(to: str) -> str:
        """Send something."""
        sent.append(to)
        if fails:
            raise ConnectionError
        return f"sent to {to}"

    assert isinstance(send, StructuredTool)
    return send


async def test_another_systems_tool_runs_once_with_what_was_approved(pool: Pool) -> None:
    approval, sent = await approved(pool), list[str]()
    outcomes = [await carry_out(pool, approval, sending(sent)) for _ in range(2)]
    assert outcomes == [{"result": "sent to 乙"}] * 2
    assert sent == ["乙"]


async def test_a_tool_that_fails_or_is_gone_leaves_an_outcome_and_is_not_tried_again(pool: Pool) -> None:
    approval, sent = await approved(pool), list[str]()
    for _ in range(2):
        assert "ConnectionError" in (await carry_out(pool, approval, sending(sent, fails=True)))["error"]
    assert sent == ["乙"]
    assert "no tool 'send'" in (await carry_out(pool, await approved(pool), None))["error"]


async def test_the_write_tools_refuse_to_run_by_themselves() -> None:
    for one in action_tools():
        assert tier_of(one) == "write"
        with pytest.raises(ActionRefusedError, match="approved"):
            await one.ainvoke(
                {"reason": "x"} if one.name == "request_refund" else {"invoice_no": "1", "title": "x"}
            )
