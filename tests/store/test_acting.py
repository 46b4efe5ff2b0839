import asyncio

import pytest

from store.acting import act, act_elsewhere
from store.approvals import Approval, Decision, Outcome, approvals, decide
from store.errors import ActionRefusedError
from store.postgres import Connection, Pool
from tests.store.test_approvals import requested


async def test_what_was_not_approved_is_not_done(pool: Pool) -> None:
    async def fails(_: Connection, __: Approval) -> Outcome:
        raise AssertionError

    for decision in (None, Decision("refused")):
        asked = await requested(pool)
        if decision:
            await decide(pool, asked, decision, "sam")
        with pytest.raises(ActionRefusedError, match="not approved"):
            await act(pool, asked, fails)


async def test_an_action_runs_once_however_often_it_is_asked_for(pool: Pool) -> None:
    asked, ran = await requested(pool), list[str]()
    await decide(pool, asked, Decision("edited", {"to": "乙"}), "sam")

    async def action(_: Connection, approval: Approval) -> Outcome:
        ran.append(approval.accepted_args["to"])
        return {"sent": len(ran)}

    assert await asyncio.gather(*(act(pool, asked, action) for _ in range(4))) == [{"sent": 1}] * 4
    assert ran == ["乙"]


async def test_what_the_business_refuses_is_an_outcome_and_leaves_nothing_written(pool: Pool) -> None:
    asked = await requested(pool)
    await decide(pool, asked, Decision("approved"), "sam")

    async def refuses(connection: Connection, approval: Approval) -> Outcome:
        await connection.execute("DELETE FROM approvals WHERE approval_id = %s", (approval.approval_id,))
        raise ActionRefusedError("too late")

    assert await act(pool, asked, refuses) == {"error": "too late"}
    assert (await approvals(pool, [asked]))[0].outcome == {"error": "too late"}


async def test_another_system_is_asked_at_most_once_even_when_the_process_dies(pool: Pool) -> None:
    asked, ran = await requested(pool), list[int]()
    await decide(pool, asked, Decision("approved"), "sam")

    async def dies(_: Approval) -> Outcome:
        ran.append(1)
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await act_elsewhere(pool, asked, dies)
    assert "not known" in (await act_elsewhere(pool, asked, dies))["error"]
    assert ran == [1]


async def test_another_systems_outcome_is_kept(pool: Pool) -> None:
    asked = await requested(pool)
    await decide(pool, asked, Decision("approved"), "sam")

    async def sends(_: Approval) -> Outcome:
        return {"result": "sent"}

    assert [await act_elsewhere(pool, asked, sends) for _ in range(2)] == [{"result": "sent"}] * 2
