"""Approvals: what write-tier tools want to do, and what a person decided on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args
from uuid import UUID

from psycopg.types.json import Jsonb

from store.arguments import check_type
from store.errors import AccessDeniedError, MalformedError
from store.postgres import Pool
from store.threads import Owner

Ruled = Literal["approved", "edited", "refused"]
Status = Literal["pending"] | Ruled
Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A call of a write-tier tool, and what became of it.

    Attributes:
        approval_id: made from thread, message and call, so that a step that runs again asks once.
        tenant: of the user who asks.
        user_id: who asks; never who approves.
        args: as the model gave them.
        description: what a person reads.
        run: fields of the run's context with which the thread goes on.
        final_args: as a person edited them.
        note: what the person says about it.
        outcome: what the action gave, or its error; nothing before it ran.
    """

    approval_id: UUID
    thread_id: UUID
    tenant: str
    user_id: str
    tool: str
    args: dict[str, Any]
    description: str
    run: dict[str, Any]
    status: Status = "pending"
    final_args: dict[str, Any] | None = None
    note: str = ""
    decided_by: str = ""
    decided_at: datetime | None = None
    started_at: datetime | None = None
    outcome: Outcome | None = None
    created_at: datetime | None = None

    @property
    def owner(self) -> Owner:
        """The user who asks."""
        return Owner(self.tenant, self.user_id)

    @property
    def accepted_args(self) -> dict[str, Any]:
        """The arguments that the action runs with."""
        return self.args if self.final_args is None else self.final_args


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decides: approved, edited with other arguments, or refused, with a note for the user.

    Raises:
        MalformedError: the status is none of these, or the note no text.
    """

    status: Ruled
    args: dict[str, Any] | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.status not in get_args(Ruled):
            raise MalformedError(
                f"Nobody decides {self.status!r}. Give one of: {', '.join(get_args(Ruled))}."
            )
        check_type("Note", self.note, str)


def check_decider(person: Owner, approval: Approval, *, staff: bool) -> None:
    """Check that somebody may decide on a request.

    Raises:
        AccessDeniedError: the person is not of the staff, or the request is another tenant's or the person's own.
    """
    if not staff:
        raise AccessDeniedError(f"User {person.user_id!r} is not of the staff and may decide on nothing.")
    if person.tenant != approval.tenant:
        raise AccessDeniedError(f"There is no approval {approval.approval_id} in tenant {person.tenant!r}.")
    if person.user_id == approval.user_id:
        raise AccessDeniedError(
            f"User {person.user_id!r} asked for this; somebody else of the staff has to decide."
        )


async def request_approval(pool: Pool, asked: Approval) -> Approval:
    """Put a call before the staff; one that is there already stays as it is.

    Returns:
        The approval as it stands.
    """
    async with pool.connection() as connection:
        await connection.execute(
            "INSERT INTO approvals (approval_id, thread_id, tenant, user_id, tool, args, description, run)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (
                asked.approval_id,
                asked.thread_id,
                asked.tenant,
                asked.user_id,
                asked.tool,
                Jsonb(asked.args),
                asked.description,
                Jsonb(asked.run),
            ),
        )
    return (await approvals(pool, [asked.approval_id]))[0]


async def approvals(pool: Pool, ids: Sequence[UUID]) -> list[Approval]:
    """Return approvals by id, in the order of the ids; unknown ids are left out."""
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT * FROM approvals WHERE approval_id = ANY(%s)", ([*ids],))
        found = {row["approval_id"]: Approval(**row) for row in await cursor.fetchall()}
    return [found[one] for one in ids if one in found]


async def list_approvals(
    pool: Pool, tenant: str, *, thread: str = "", pending: bool = False
) -> list[Approval]:
    """Return the approvals of a tenant, oldest first.

    Args:
        pool: the database.
        tenant: whose.
        thread: only those of a thread.
        pending: only those that wait.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT * FROM approvals WHERE tenant = %s AND (%s = '' OR thread_id::text = %s)"
            " AND (NOT %s OR status = 'pending') ORDER BY created_at, approval_id",
            (tenant, thread, thread, pending),
        )
        return [Approval(**row) for row in await cursor.fetchall()]


async def decide(pool: Pool, approval_id: UUID, decision: Decision, by: str) -> bool:
    """Keep a decision; the first one holds.

    Args:
        pool: the database.
        approval_id: what is decided.
        decision: on it.
        by: name of the person.

    Returns:
        Whether this decision was the first.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "UPDATE approvals SET status = %s, final_args = %s, note = %s, decided_by = %s, decided_at = now()"
            " WHERE approval_id = %s AND status = 'pending'",
            (
                decision.status,
                None if decision.args is None else Jsonb(decision.args),
                decision.note,
                by,
                approval_id,
            ),
        )
    return cursor.rowcount == 1
