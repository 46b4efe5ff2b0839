"""The route for what users think of an answer."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, StringConstraints

from graph.server.desk import Asker, Desk, Text, context_of, own_thread
from nodes.citations import cited_ids
from store.errors import NotFoundError
from store.feedback import Judged, give_feedback
from store.sample import collection_in_use

router = APIRouter(tags=["feedback"])


class Thumb(BaseModel):
    """A thumb up or down on an answer."""

    thread_id: UUID
    message_id: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]+$")]
    """The answer's message."""
    helpful: bool
    reason: Annotated[Text, StringConstraints(max_length=2000, strip_whitespace=True)] = ""


@router.post("/feedback", status_code=204)
async def feedback(thumb: Thumb, asker: Asker, desk: Desk) -> None:
    """Keep a thumb with its reason; one that is down makes the question a gap of the help centre."""
    thread = await own_thread(desk, asker, thumb.thread_id)
    log = await desk.history(thread, context=context_of(asker))
    opened = desk.resources
    judged = _judged(
        log, thread, thumb.message_id, await collection_in_use(opened.knowledge, opened.settings)
    )
    await give_feedback(opened.pool, asker.owner, judged, helpful=thumb.helpful, reason=thumb.reason)


def _judged(log: list[BaseMessage], thread: str, message_id: str, collection: str) -> Judged:
    place = next((n for n, m in enumerate(log) if m.id == message_id and isinstance(m, AIMessage)), None)
    asked = next((m for m in reversed(log[:place]) if isinstance(m, HumanMessage)), None)
    if place is None or asked is None:
        raise NotFoundError(f"There is no answer {message_id!r} on thread {thread!r}.")
    answer = log[place].text
    return Judged(
        thread_id=thread,
        message_id=message_id,
        asked_id=str(asked.id),
        question=asked.text,
        answer=answer,
        passages=list(dict.fromkeys(cited_ids(answer))),
        collection=collection,
    )
