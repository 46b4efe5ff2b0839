"""The human-in-the-loop schema of LangChain, which agent-chat-ui and Studio show as a form.

A request holds ``action_requests`` and ``review_configs``; the response holds ``decisions``, one for each
action in the same order (``langchain.agents.middleware.human_in_the_loop``, LangChain 1.x).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from store.approvals import Approval, Decision
from store.errors import ActionRefusedError
from store.storable import storable


class ActionRequest(TypedDict):
    """What is to be done; the id is ours, that the form and the command line speak of the same request."""

    name: str
    args: dict[str, Any]
    description: str
    approval_id: str


class ReviewConfig(TypedDict):
    """What may be decided on an action."""

    action_name: str
    allowed_decisions: list[str]


class HITLRequest(TypedDict):
    """The value of the interrupt."""

    action_requests: list[ActionRequest]
    review_configs: list[ReviewConfig]


class _Action(BaseModel):
    name: str
    args: dict[str, Any]


class _Verdict(BaseModel):
    type: Literal["approve", "edit", "reject"]
    edited_action: _Action | None = None
    message: str = ""


class _Response(BaseModel):
    decisions: list[_Verdict]


def hitl_request(waiting: Sequence[Approval]) -> HITLRequest:
    """Return the request that asks a person to decide."""
    return HITLRequest(
        action_requests=[
            ActionRequest(
                name=one.tool, args=one.args, description=one.description, approval_id=str(one.approval_id)
            )
            for one in waiting
        ],
        review_configs=[
            ReviewConfig(action_name=name, allowed_decisions=["approve", "edit", "reject"])
            for name in dict.fromkeys(one.tool for one in waiting)
        ],
    )


def read_response(response: object, waiting: Sequence[Approval]) -> list[Decision]:
    """Read the decisions of a response, one for each action that was asked for.

    Raises:
        ActionRefusedError: it is not a response to this request; the message says what is wrong.
    """
    try:
        verdicts = _Response.model_validate(response).decisions
    except ValidationError as error:
        raise ActionRefusedError(f"Not a response with `decisions`: {error}") from error
    if len(verdicts) != len(waiting):
        raise ActionRefusedError(f"{len(waiting)} decisions are needed, {len(verdicts)} came.")
    return [
        storable_decision(_decision(verdict, one)) for verdict, one in zip(verdicts, waiting, strict=True)
    ]


def storable_decision(decision: Decision) -> Decision:
    """Return a decision as it is kept: without what Postgres cannot store.

    Raises:
        ActionRefusedError: its arguments are no JSON object, or stand beside anything but an edit.
    """
    if (decision.args is not None) != (decision.status == "edited"):
        raise ActionRefusedError("Arguments go with an edit, and only with one: give both or neither.")
    note = storable(decision.note)
    if decision.args is None:
        return replace(decision, note=note)
    if not isinstance(decision.args, Mapping):
        raise ActionRefusedError(f"The edited arguments are not a JSON object: {str(decision.args)[:80]!r}.")
    try:
        args = storable(json.loads(json.dumps(dict(decision.args), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ActionRefusedError(f"The edited arguments are not JSON: {error}.") from error
    return replace(decision, args=args, note=note)


def _decision(verdict: _Verdict, asked: Approval) -> Decision:
    match verdict:
        case _Verdict(type="approve"):
            return Decision("approved")
        case _Verdict(type="reject"):
            return Decision("refused", note=verdict.message)
        case _Verdict(edited_action=_Action(name=asked.tool) as action):
            return Decision("edited", args=action.args)
    raise ActionRefusedError(f"An edit needs `edited_action` with the name {asked.tool!r} and its arguments.")
