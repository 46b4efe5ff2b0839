"""What the staff does with conversations that were handed over: answering in the thread, and giving it back."""

from uuid import NAMESPACE_OID, uuid4, uuid5

from langchain_core.messages import AIMessage

from graph.staff import language_of
from graph.support import Support, asked_by, config_of
from nodes.phrases import FROM_A_PERSON, GIVEN_BACK
from nodes.state import Context
from store.arguments import check_type
from store.errors import AccessDeniedError, ActionRefusedError
from store.postgres import typed_errors
from store.storable import storable
from store.text import readable
from store.tickets import Ticket, add_message, close_ticket, ticket
from store.turn_lock import turn_lock


async def answer_ticket(support: Support, number: int, text: str, *, by: Context) -> Ticket:
    """Put a person's message into the thread's log, marked as from a person.

    Args:
        support: the product.
        number: the ticket.
        text: what the person says to the user.
        by: who speaks; needs the role ``staff``.

    Raises:
        AccessDeniedError: this is not of the staff.
        NotFoundError: there is no such ticket.
        ActionRefusedError: it is closed, or the text is empty.
        MalformedError: an argument has not its type, or the name of who speaks has characters that cannot be stored.
    """
    check_type("Answer", text, str)
    text, id_ = storable(text), str(uuid4())
    with typed_errors():
        found = await _ticket(support, number, by)
        author = by.user_id or "staff"
        if found.closed_at is not None or not readable(text).strip():
            raise ActionRefusedError(
                f"Ticket {number} is closed." if found.closed_at else "Say something: the answer is empty."
            )
        await add_message(support.resources.pool, number, message_id=id_, author=author, text=text)
        await _say(support, found, AIMessage(text, id=id_), author)
    return found


async def give_back(support: Support, number: int, *, by: Context) -> Ticket:
    """Close a ticket: the agent answers in the thread again. Closing twice changes nothing.

    Args:
        support: the product.
        number: the ticket.
        by: who closes it; needs the role ``staff``.

    Raises:
        AccessDeniedError: this is not of the staff.
        NotFoundError: there is no such ticket.
        MalformedError: an argument has not its type, or the name of who closes it has characters that cannot be stored.
    """
    with typed_errors():
        found = await _ticket(support, number, by)
        if found.closed_at is None:
            await close_ticket(support.resources.pool, number, by.user_id or "staff")
            await _say(support, found, AIMessage("", id=str(uuid5(NAMESPACE_OID, f"ticket {number} closed"))))
        return await _ticket(support, number, by)


async def _ticket(support: Support, number: int, by: Context) -> Ticket:
    by, person = asked_by(by)
    check_type("Ticket", number, int)
    if by.role != "staff":
        raise AccessDeniedError(f"User {by.user_id!r} is not of the staff and works on no tickets.")
    return await ticket(support.resources.pool, person.tenant, number)


async def _say(support: Support, found: Ticket, message: AIMessage, author: str = "") -> None:
    """Append a message to the thread of a ticket, in the language that the user wrote last."""
    thread = str(found.thread_id)
    async with turn_lock(support.resources.locks, thread):
        snapshot = await support.graph.aget_state(config_of(thread))
        lang = language_of(snapshot.values.get("messages", []))
        said = message.model_copy(
            update={
                "content": FROM_A_PERSON[lang].format(text=message.text) if author else GIVEN_BACK[lang],
                "additional_kwargs": {"author": author} if author else {},
            }
        )
        await support.graph.aupdate_state(config_of(thread), {"messages": [said]}, as_node="finish")
