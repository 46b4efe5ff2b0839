"""The route that explains the model calls of a thread."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel

from graph import threads
from graph.server.desk import Asker, Desk, context_of
from store.errors import NotFoundError
from store.threads import owner_of

router = APIRouter(tags=["inspect"])


class Calls(BaseModel):
    """The model calls of a thread, and what left its window."""

    calls: list[dict[str, Any]]
    left: str


@router.get("/inspect/{thread_id}")
async def inspect(thread_id: UUID, asker: Asker, desk: Desk) -> Calls:
    """Give the record of each model call of one's own thread: its zones, tokens, and moves of the plan."""
    if await owner_of(desk.resources.pool, str(thread_id)) != asker.owner:
        raise NotFoundError(f"There is no thread {str(thread_id)!r}.")
    found = await threads.inspect(desk, str(thread_id), context_of(asker))
    return Calls(calls=[dict(record) for record in found.calls], left=found.left)
