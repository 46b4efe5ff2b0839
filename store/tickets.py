"""Tickets: conversations that a person has taken over, with what that person needs to know."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from store.errors import NotFoundError
from store.postgres import Pool

Reason = Literal["asked for a person", "too many steps", "the agent decided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A tool call that the agent made, and what it found: ids of passages, or a status."""

    tool: str
    args: dict[str, Any]
    found: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is known when a conversation is handed over.

    Attributes:
        key: names what opened it, so that a step that runs again opens it once.
        tenant: of the user.
        user_id: whose conversation it is; empty: nobody in particular.
        summary: what it is about.
        evidence: ids of the passages that were cited.
        open_questions: questions that found no answer.
    """

    key: str
    thread_id: UUID
    tenant: str
    user_id: str
    reason: Reason
    summary: str
    tried: list[Tried]
    evidence: list[str]
    open_questions: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket(Draft):
    """A draft that was opened; open until it is closed."""

    ticket_id: int
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str


@dataclass(frozen=True, slots=True)
class TicketMessage:
    """What was said while a person had the conversation; the author is ``user`` or a person's name."""

    author: str
    text: str
    at: datetime


async def open_ticket(pool: Pool, draft: Draft) -> int:
    """Open a ticket, unless a person has the thread already or this very step opened one before.

    Returns:
        The ticket's number.
    """
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO tickets (key, thread_id, tenant, user_id, reason, summary, tried, evidence, open_questions)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (
                draft.key,
                draft.thread_id,
                draft.tenant,
                draft.user_id,
                draft.reason,
                draft.summary,
                Jsonb([asdict(one) for one in draft.tried]),
                Jsonb(draft.evidence),
                Jsonb(draft.open_questions),
            ),
        )
        cursor = await connection.execute(
            "SELECT ticket_id FROM tickets WHERE key = %s OR (thread_id = %s AND closed_at IS NULL)"
            " ORDER BY closed_at IS NULL DESC",
            (draft.key, draft.thread_id),
        )
        row = await cursor.fetchone()
    assert row is not None  # noqa: S101 - inserted above, or there before
    return int(row["ticket_id"])


async def open_ticket_of(pool: Pool, thread: str) -> int | None:
    """Return the ticket by which a person has a thread."""
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT ticket_id FROM tickets WHERE thread_id = %s AND closed_at IS NULL", (thread,)
        )
        row = await cursor.fetchone()
    return row["ticket_id"] if row else None


async def list_tickets(pool: Pool, tenant: str, *, closed: bool = False) -> list[Ticket]:
    """Return the tickets of a tenant, oldest first; closed ones only if asked for."""
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT * FROM tickets WHERE tenant = %s AND (%s OR closed_at IS NULL) ORDER BY ticket_id",
            (tenant, closed),
        )
        return [_ticket(row) for row in await cursor.fetchall()]


async def ticket(pool: Pool, tenant: str, number: int) -> Ticket:
    """Return a ticket of a tenant.

    Raises:
        NotFoundError: there is none of that number.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT * FROM tickets WHERE tenant = %s AND ticket_id = %s", (tenant, number)
        )
        row = await cursor.fetchone()
    if row is None:
        raise NotFoundError(
            f"There is no ticket {number} in tenant {tenant!r}. `supportpilot tickets list --all` names them."
        )
    return _ticket(row)


async def ticket_messages(pool: Pool, number: int) -> list[TicketMessage]:
    """Return what was said on a ticket, in order."""
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT author, text, at FROM ticket_messages WHERE ticket_id = %s ORDER BY at, message_id",
            (number,),
        )
        return [TicketMessage(**row) for row in await cursor.fetchall()]


async def add_message(pool: Pool, number: int, *, message_id: str, author: str, text: str) -> None:
    """Append to a ticket; the same message once."""
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO ticket_messages (ticket_id, message_id, author, text) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            (number, message_id, author, text),
        )


async def close_ticket(pool: Pool, number: int, by: str) -> None:
    """Give a thread back to the agent; a ticket that is closed stays as it is."""
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE tickets SET closed_at = now(), closed_by = %s WHERE ticket_id = %s AND closed_at IS NULL",
            (by, number),
        )


def _ticket(row: dict[str, Any]) -> Ticket:
    return Ticket(**{**row, "tried": [Tried(**one) for one in row["tried"]]})
