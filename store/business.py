"""The sample business system: what it says of a user outranks every memory, and what actions write there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from store.errors import ActionRefusedError
from store.postgres import Connection, Pool
from store.threads import Owner

REISSUE_DAYS = 30
"""Days after its issue within which an invoice is reissued (the sample's article kb-007)."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a user has booked."""

    plan: str
    billing_cycle: str
    renews_on: date
    seats: int


async def subscription_of(pool: Pool, tenant: str, user_id: str) -> Subscription | None:
    """Return the subscription of a user; nothing when the business system has none."""
    async with pool.connection() as connection:
        return await _subscription(connection, Owner(tenant, user_id))


async def request_refund(
    connection: Connection, owner: Owner, *, action: UUID, reason: str
) -> Mapping[str, str]:
    """Record a request for a refund, once for each action.

    Args:
        connection: runs it, in the caller's transaction.
        owner: whose subscription.
        action: id of the action; the same one again changes nothing.
        reason: why, in the user's words.

    Raises:
        ActionRefusedError: the user has no subscription.
    """
    booked = await _subscription(connection, owner)
    if booked is None:
        raise ActionRefusedError(
            f"User {owner.user_id!r} has no subscription that could be refunded.", "no subscription"
        )
    await connection.execute(
        "INSERT INTO refunds (action_id, tenant, user_id, plan, billing_cycle, reason)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (action_id) DO NOTHING",
        (action, owner.tenant, owner.user_id, booked.plan, booked.billing_cycle, reason),
    )
    return {"refund": str(action), "plan": booked.plan, "billing_cycle": booked.billing_cycle}


async def reissue_invoice(
    connection: Connection, owner: Owner, *, action: UUID, invoice_no: str, title: str
) -> Mapping[str, str]:
    """Reissue an invoice under another title, once for each action and each invoice.

    Args:
        connection: runs it, in the caller's transaction.
        owner: whose invoice.
        action: id of the action; the same one again changes nothing.
        invoice_no: the invoice.
        title: the new title.

    Raises:
        ActionRefusedError: the invoice is not this user's, too old, or was reissued before.
    """
    old_title = await _reissuable(connection, owner, invoice_no, action)
    await connection.execute(
        "INSERT INTO invoice_reissues (action_id, tenant, user_id, invoice_no, old_title, title)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (action_id) DO NOTHING",
        (action, owner.tenant, owner.user_id, invoice_no, old_title, title),
    )
    return {"invoice_no": invoice_no, "old_title": old_title, "title": title}


async def seed_sample(pool: Pool) -> None:
    """Write the rows of the sample business; what is there stays as it is."""
    async with pool.connection() as connection, connection.transaction():
        await connection.execute(
            """INSERT INTO subscriptions (tenant, user_id, plan, billing_cycle, renews_on, seats) VALUES
                   ('default', 'demo',  '专业版', '年付', '2027-03-01', 3),
                   ('default', 'alice', '企业版', '年付', '2027-06-15', 25),
                   ('default', 'bob',   '专业版', '月付', '2026-12-20', 2),
                   ('default', 'carol', '免费版', '无',   '2099-12-31', 1)
               ON CONFLICT DO NOTHING"""
        )
        await connection.execute(
            """INSERT INTO invoices (tenant, user_id, invoice_no, title, issued_on) VALUES
                   ('default', 'demo',  'INV-1001', '青禾商贸有限公司', current_date - 10),
                   ('default', 'demo',  'INV-1002', '青禾商贸有限公司', current_date - 90),
                   ('default', 'alice', 'INV-2001', '远山科技有限公司', current_date - 5),
                   ('default', 'bob',   'INV-3001', '个人', current_date - 3)
               ON CONFLICT DO NOTHING"""
        )


async def _subscription(connection: Connection, owner: Owner) -> Subscription | None:
    cursor = await connection.execute(
        "SELECT plan, billing_cycle, renews_on, seats FROM subscriptions WHERE tenant = %s AND user_id = %s",
        (owner.tenant, owner.user_id),
    )
    row = await cursor.fetchone()
    return Subscription(**row) if row else None


async def _reissuable(connection: Connection, owner: Owner, invoice_no: str, action: UUID) -> str:
    """Return the title of an invoice that may be reissued; its row stays locked for the transaction."""
    cursor = await connection.execute(
        "SELECT title, issued_on >= current_date - %s::integer AS fresh FROM invoices"
        " WHERE tenant = %s AND user_id = %s AND invoice_no = %s FOR UPDATE",
        (REISSUE_DAYS, owner.tenant, owner.user_id, invoice_no),
    )
    invoice = await cursor.fetchone()
    if invoice is None:
        raise ActionRefusedError(f"User {owner.user_id!r} has no invoice {invoice_no!r}.", "no such invoice")
    # Asked in a statement of its own: one that waited for the lock still sees what was there before the wait.
    cursor = await connection.execute(
        "SELECT FROM invoice_reissues WHERE tenant = %s AND invoice_no = %s AND action_id <> %s",
        (owner.tenant, invoice_no, action),
    )
    if cursor.rowcount:
        raise ActionRefusedError(
            f"Invoice {invoice_no!r} was reissued before; each is reissued once.", "invoice reissued"
        )
    if not invoice["fresh"]:
        raise ActionRefusedError(
            f"Invoice {invoice_no!r} was issued more than {REISSUE_DAYS} days ago: the user contacts a person.",
            "invoice too old",
        )
    return str(invoice["title"])
