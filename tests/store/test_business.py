import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from store.business import reissue_invoice, request_refund, seed_sample, subscription_of
from store.errors import ActionRefusedError
from store.postgres import Pool, migrate, open_pool, setup_lock
from store.settings import load_settings
from store.threads import Owner
from tests.conftest import create_database

DEMO = Owner("default", "demo")


@pytest.fixture(scope="module")
async def business(server_url: str) -> AsyncIterator[Pool]:
    """A database with the sample business in it."""
    async with open_pool(load_settings(database_url=create_database(server_url, "business"))) as pool:
        async with setup_lock(pool) as connection:
            await migrate(connection)
        assert await subscription_of(pool, "default", "demo") is None
        await seed_sample(pool)
        await seed_sample(pool)
        yield pool


async def count(pool: Pool, table: str) -> int:
    async with pool.connection() as connection:
        row = await (await connection.execute(f"SELECT count(*) AS n FROM {table}".encode())).fetchone()
    return row["n"] if row else -1


async def test_a_subscription_belongs_to_its_tenant_and_user(business: Pool) -> None:
    found = await subscription_of(business, "default", "demo")
    assert found is not None
    assert (found.plan, found.billing_cycle, found.seats) == ("专业版", "年付", 3)
    assert await subscription_of(business, "other", "demo") is None
    assert await subscription_of(business, "default", "nobody") is None


async def test_an_action_that_comes_twice_is_written_once(business: Pool) -> None:
    action = uuid4()
    async with business.connection() as connection:
        for _ in range(2):
            await request_refund(connection, DEMO, action=action, reason="买错了")
        for _ in range(2):
            done = await reissue_invoice(
                connection, DEMO, action=action, invoice_no="INV-1001", title="云杉科技"
            )
    assert done == {"invoice_no": "INV-1001", "old_title": "青禾商贸有限公司", "title": "云杉科技"}
    assert (await count(business, "refunds"), await count(business, "invoice_reissues")) == (1, 1)


async def test_an_invoice_is_reissued_once_even_when_two_actions_race(business: Pool) -> None:
    async def reissue(title: str) -> bool:
        async with business.connection() as connection, connection.transaction():
            try:
                await reissue_invoice(
                    connection, Owner("default", "alice"), action=uuid4(), invoice_no="INV-2001", title=title
                )
            except ActionRefusedError:
                return False
        return True

    assert sorted(await asyncio.gather(reissue("甲"), reissue("乙"))) == [False, True]


@pytest.mark.parametrize(
    ("owner", "invoice", "why"),
    [
        (DEMO, "INV-2001", "has no invoice"),
        (Owner("other", "demo"), "INV-1001", "has no invoice"),
        (DEMO, "INV-1002", "30 days"),
    ],
)
async def test_what_the_business_does_not_allow_is_refused(
    business: Pool, owner: Owner, invoice: str, why: str
) -> None:
    async with business.connection() as connection:
        with pytest.raises(ActionRefusedError, match=why):
            await reissue_invoice(connection, owner, action=uuid4(), invoice_no=invoice, title="甲")


async def test_nobody_without_a_subscription_gets_a_refund(business: Pool) -> None:
    async with business.connection() as connection:
        with pytest.raises(ActionRefusedError, match="no subscription"):
            await request_refund(connection, Owner("default", "nobody"), action=uuid4(), reason="x")
