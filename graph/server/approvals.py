"""Routes for the staff: what the agent wants to do and may not do by itself."""

from typing import Annotated, Any, Self
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, StringConstraints, model_validator

from graph.server.desk import Desk, Staff, Text, context_of
from graph.staff import decide_approval
from store.approvals import Approval, Decision, Ruled, list_approvals

router = APIRouter(prefix="/approvals", tags=["staff"])


class Ruling(BaseModel):
    """What a person decides on a request."""

    status: Ruled
    args: dict[str, Any] | None = None
    """The right arguments, where they are edited."""
    note: Annotated[Text, StringConstraints(max_length=2000)] = ""

    @model_validator(mode="after")
    def _arguments_go_with_editing(self) -> Self:
        if (self.args is not None) != (self.status == "edited"):
            raise ValueError("`args` are given when the status is `edited`, and only then")
        return self


@router.get("")
async def list_(who: Staff, desk: Desk, *, pending: bool = True) -> list[Approval]:
    """List the requests of the tenant's users, oldest first; those that wait, or all."""
    return await list_approvals(desk.resources.pool, who.tenant, pending=pending)


@router.post("/{approval_id}")
async def decide(approval_id: UUID, ruling: Ruling, who: Staff, desk: Desk) -> Approval:
    """Decide on a request: it is carried out at most once, and the conversation goes on."""
    decision = Decision(ruling.status, ruling.args, ruling.note)
    return await decide_approval(desk, str(approval_id), decision, by=context_of(who))
