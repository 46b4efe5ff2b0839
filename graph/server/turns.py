"""The route on which a user talks, for workers without a LangGraph server."""

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel, StringConstraints

from graph.server.desk import Asker, Desk, Text, context_of
from store.limits import admit, check_length

router = APIRouter(tags=["turns"])


class Message(BaseModel):
    """A message of the user."""

    text: Text
    thread: Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")] = ""
    """A name of the user's own, or a thread id; empty: a new thread."""
    message_id: UUID | None = None
    """Sent again with the same id, also to another worker, a message is not answered twice."""


@router.post("/turns")
async def turn(message: Message, asker: Asker, desk: Desk) -> dict[str, Any]:
    """Answer a message; the reply names its thread, its citations and its cost."""
    check_length(message.text, desk.resources.settings)
    if not asker.developer:
        await admit(desk.resources.pool, asker.owner, desk.resources.settings)
    reply = await desk.ask(
        message.text,
        thread=message.thread,
        context=context_of(asker),
        message_id=str(message.message_id or ""),
    )
    return asdict(reply)
