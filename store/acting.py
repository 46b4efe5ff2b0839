"""Carrying out what was approved, once: across retries, crashes and several processes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from store.approvals import Approval, Outcome, approvals
from store.errors import ActionRefusedError
from store.postgres import Connection, Pool


async def act(
    pool: Pool, approval_id: UUID, action: Callable[[Connection, Approval], Awaitable[Mapping[str, Any]]]
) -> Outcome:
    """Carry out an approved action on this database, once: what it writes and its outcome are one transaction.

    Whoever comes second, at the same time or after a crash, gets the outcome of the first.

    Args:
        pool: the database.
        approval_id: an approval that was approved or edited.
        action: writes on the connection that it is given.
    """
    async with pool.connection() as connection, connection.transaction():
        cursor = await connection.execute(
            "SELECT * FROM approvals WHERE approval_id = %s FOR UPDATE", (approval_id,)
        )
        row = await cursor.fetchone()
        if row is None or row["status"] not in {"approved", "edited"}:
            raise ActionRefusedError(f"Approval {approval_id} was not approved; nothing was done.")
        approval = Approval(**row)
        if approval.outcome is not None:
            return approval.outcome
        try:
            async with connection.transaction():
                outcome = dict(await action(connection, approval))
        except ActionRefusedError as error:
            outcome = {"error": str(error)}
        await _keep(connection, approval_id, outcome)
        return outcome


async def act_elsewhere(
    pool: Pool, approval_id: UUID, action: Callable[[Approval], Awaitable[Outcome]]
) -> Outcome:
    """Carry out an approved action on another system, at most once.

    That it begins is kept before it begins. When the process dies on the way, nobody knows whether the other
    system acted, so it is not asked again and the outcome says so.

    Args:
        pool: the database.
        approval_id: an approval that was approved or edited.
        action: asks the other system; its errors are part of its outcome.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "UPDATE approvals SET started_at = now() WHERE approval_id = %s AND started_at IS NULL"
            " AND status IN ('approved', 'edited')",
            (approval_id,),
        )
        began = cursor.rowcount == 1
    (approval,) = await approvals(pool, [approval_id])
    if not began:
        return approval.outcome or {
            "error": "It is not known whether this was carried out: the attempt was cut short. A person has to check."
        }
    outcome = await action(approval)
    async with pool.connection() as connection:
        await _keep(connection, approval_id, outcome)
    return outcome


async def _keep(connection: Connection, approval_id: UUID, outcome: Outcome) -> None:
    await connection.execute(
        "UPDATE approvals SET outcome = %s WHERE approval_id = %s", (Jsonb(outcome), approval_id)
    )
