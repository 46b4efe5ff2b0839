"""What a model reads of its write-tier calls: waiting, refused, or done, and with which arguments."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool

from nodes.language import Language, answer_language
from nodes.log import current_turn
from nodes.phrases import ACTIONS, DONE, NOT_DONE, NOT_POSSIBLE, REFUSALS, REFUSED, WAITS
from nodes.tools.actions import carry_out
from nodes.tools.run import Call
from store.approvals import Approval
from store.errors import ActionRefusedError
from store.postgres import Pool

_SAID = {
    "waiting": WAITS,
    "refused by a person": REFUSED,
    "done": DONE,
    "not done": NOT_DONE,
    "not possible": NOT_POSSIBLE,
}
WAITING = (
    "A person has not decided on this yet. Tell the user so; the outcome will be said in this conversation."
    " 还在等待工作人员批准,请告知用户,结果会在本对话中通知。"
)


def approval_id(thread: str, step: str, call: Call) -> UUID:
    """Return the id of a call's approval, the same whenever the step runs again.

    Args:
        thread: the thread.
        step: id of the assistant message that holds the call.
        call: the call.
    """
    return uuid5(NAMESPACE_OID, f"{thread}\0{step}\0{call['id']}")


def approval_ids(thread: str, step: str, calls: Sequence[Call]) -> list[UUID]:
    """Return the id of each call's approval; equal calls of a step are one request, that of the first of them.

    Args:
        thread: the thread.
        step: id of the assistant message that holds the calls.
        calls: the calls of that message, in its order.
    """
    first: dict[str, UUID] = {}
    for call in calls:
        first.setdefault(_same(call), approval_id(thread, step, call))
    return [first[_same(call)] for call in calls]


def _same(call: Call) -> str:
    return json.dumps([call["name"], call["args"]], sort_keys=True)


async def outcome(
    pool: Pool, asked: Approval | ActionRefusedError, bound: Sequence[BaseTool]
) -> dict[str, Any]:
    """Return what became of a call, carrying it out if it was approved and is not done yet.

    Args:
        pool: the database.
        asked: the approval, or why the call was not put before a person.
        bound: the tools of the turn.
    """
    if isinstance(asked, ActionRefusedError):
        why = {"why": asked.why} if asked.why else {}
        return {"status": "not possible", "error": str(asked), **why}
    if asked.status == "pending":
        return {"status": "waiting", "to do": WAITING}
    if asked.status == "refused":
        return {"status": "refused by a person", "note": asked.note}
    tool = next((tool for tool in bound if tool.name == asked.tool), None)
    done = await carry_out(pool, asked, tool)
    changed = {"changed by a person to": asked.final_args} if asked.final_args is not None else {}
    note = {"note": asked.note} if asked.note else {}
    return {"status": "not done" if "error" in done else "done", **changed, **note, **done}


def result(step: str, call: Call, became: dict[str, Any]) -> ToolMessage:
    """Return the result of a call; its id follows from the call's, so that it is logged once."""
    return ToolMessage(
        json.dumps(became, ensure_ascii=False),
        id=f"{step}-{call['id']}",
        name=call["name"] or "unknown",
        tool_call_id=call["id"] or "",
        status="error" if "error" in became else "success",
        artifact={"became": became},
    )


def wording(tool: str, became: Mapping[str, Any], lang: Language) -> str:
    """Say what became of a request, to the user. Only this says it: a model may think that it acted."""
    what = ACTIONS.get(tool, {}).get(lang, tool)
    more = REFUSALS[became["why"]][lang] if "why" in became else became.get("note", "")
    return _SAID[became["status"]][lang].format(what=what, more=more).strip()


def wordings(log: Sequence[BaseMessage]) -> list[str]:
    """Say what became of the requests whose results the newest turn holds, once where several came to the same."""
    turn = current_turn(log)
    lang = answer_language(turn[0])
    results = [m for m in turn if isinstance(m, ToolMessage) and "became" in (m.artifact or {})]
    each = {
        (m.name, json.dumps(m.artifact["became"], sort_keys=True)): wording(
            str(m.name), m.artifact["became"], lang
        )
        for m in results
    }
    return list(each.values())
