import asyncio
from uuid import UUID, uuid4

import pytest

from store.approvals import (
    Approval,
    Decision,
    approvals,
    check_decider,
    decide,
    list_approvals,
    request_approval,
)
from store.errors import AccessDeniedError
from store.postgres import Pool
from store.threads import Owner


async def requested(pool: Pool, tenant: str = "default", user: str = "ann") -> UUID:
    asked = Approval(
        approval_id=uuid4(),
        thread_id=uuid4(),
        tenant=tenant,
        user_id=user,
        tool="send",
        args={"to": "甲"},
        description="ann asks for send",
        run={},
    )
    first, again = [await request_approval(pool, asked) for _ in range(2)]
    assert first == again
    assert (first.status, first.accepted_args) == ("pending", {"to": "甲"})
    return first.approval_id


async def test_the_first_decision_holds(pool: Pool) -> None:
    asked = await requested(pool)
    both = [Decision("edited", {"to": "乙"}), Decision("refused")]
    assert sorted(await asyncio.gather(*(decide(pool, asked, one, "sam") for one in both))) == [False, True]
    (now,) = await approvals(pool, [asked, uuid4()])
    assert now.status in {"edited", "refused"}
    assert now.decided_by == "sam"


async def test_requests_are_listed_within_their_tenant(pool: Pool) -> None:
    tenant = str(uuid4())
    first, second = await requested(pool, tenant), await requested(pool, tenant)
    await decide(pool, first, Decision("refused"), "sam")
    assert [one.approval_id for one in await list_approvals(pool, tenant)] == [first, second]
    assert [one.approval_id for one in await list_approvals(pool, tenant, pending=True)] == [second]
    (waiting,) = await list_approvals(pool, tenant, pending=True)
    check_decider(Owner(tenant, "sam"), waiting, staff=True)
    for person, staff in (
        (Owner(tenant, "sam"), False),
        (Owner(tenant, "ann"), True),
        (Owner("x", "sam"), True),
    ):
        with pytest.raises(AccessDeniedError):
            check_decider(person, waiting, staff=staff)
