"""The route that explains the model calls of a thread."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel

from graph import threads
from graph.server.desk import Asker, Desk, context_of, own_thread

router = APIRouter(tags=["inspect"])


class Calls(BaseModel):
    """The model calls of a thread, and what left its window."""

    calls: list[dict[str, Any]]
    left: str


@router.get("/inspect/{thread_id}")
async def inspect(thread_id: UUID, asker: Asker, desk: Desk) -> Calls:
    """Give the record of each model call of one's own thread: its zones, tokens, and moves of the plan."""
    thread = await own_thread(desk, asker, thread_id)
    found = await threads.inspect(desk, thread, context_of(asker))
    return Calls(calls=[dict(record) for record in found.calls], left=found.left)
