"""The first step of a turn: a clean message from a user who may write in this thread."""

from dataclasses import asdict

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from nodes.identity import owner, run_context, thread_of
from nodes.log import current_turn
from nodes.memory.reading import stamped
from nodes.settle import settle
from nodes.state import NO_USAGE, Context, State
from store.errors import SupportPilotError
from store.knowledge import find_collection
from store.limits import check_length
from store.resources import resources
from store.storable import storable
from store.threads import claim
from store.tickets import open_ticket_of


async def prepare(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Check who is asking and of which help centre, clean the newest message, and begin the turn's counts.

    Raises:
        RetrievalError: there is no collection of the name that the run gives.
        AccessDeniedError: the thread belongs to another user.
        LimitError: the message is too long.
        SupportPilotError: there is no user message.
    """
    turn = current_turn(state.get("messages", []))
    if not turn:
        raise SupportPilotError("The run has no user message. Send one in `messages` with the role `user`.")
    opened = await resources()
    check_length(turn[0].text, opened.settings)
    who = owner(runtime)
    if thread := thread_of(runtime):
        await claim(opened.pool, thread, who, name="")
    if named := run_context(runtime).collection:
        await find_collection(opened.knowledge, named)
    return {
        "messages": [stamped(cleaned(turn[0])), *await settle(state, runtime)],
        "asker": asdict(who),
        "ticket": await open_ticket_of(opened.pool, thread) if thread else None,
        "usage": Overwrite(NO_USAGE),
        "steps": 0,
        "recalled": [],
    }


def cleaned(message: BaseMessage) -> BaseMessage:
    """Return the message without what Postgres cannot store."""
    plain = storable(message.text)
    return message if plain == message.text else HumanMessage(plain, id=message.id)
