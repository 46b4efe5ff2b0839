"""Routes for the staff: conversations that a person has taken over."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, StringConstraints

from graph.desk import answer_ticket, give_back
from graph.server.desk import Desk, Staff, Text, context_of
from store.tickets import Ticket, list_tickets, ticket, ticket_messages

router = APIRouter(prefix="/tickets", tags=["staff"])

Number = Annotated[int, Path(ge=1, lt=2**31)]


class Saying(BaseModel):
    """What a person says to the user."""

    text: Annotated[Text, StringConstraints(min_length=1, max_length=20_000, strip_whitespace=True)]


@router.get("")
async def list_(who: Staff, desk: Desk, *, closed: bool = False) -> list[Ticket]:
    """List the tenant's open tickets, oldest first; with ``closed`` all."""
    return await list_tickets(desk.resources.pool, who.tenant, closed=closed)


@router.get("/{number}")
async def show(number: Number, who: Staff, desk: Desk) -> dict[str, Any]:
    """Show a ticket: why it was opened, what was tried, what was said since."""
    found = await ticket(desk.resources.pool, who.tenant, number)
    said = await ticket_messages(desk.resources.pool, number)
    return asdict(found) | {"messages": [asdict(one) for one in said]}


@router.post("/{number}/messages")
async def answer(number: Number, saying: Saying, who: Staff, desk: Desk) -> Ticket:
    """Say something to the user, in their conversation."""
    return await answer_ticket(desk, number, saying.text, by=context_of(who))


@router.post("/{number}/close")
async def close(number: Number, who: Staff, desk: Desk) -> Ticket:
    """Give the conversation back to the agent."""
    return await give_back(desk, number, by=context_of(who))
