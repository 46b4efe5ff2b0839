import asyncio
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest

from store.errors import LimitError
from store.limits import admit
from store.postgres import Pool
from store.settings import load_settings
from store.threads import Owner, claim
from store.turn_lock import turn_lock

_FEW = load_settings(turns_per_minute=6, concurrent_turns=2)


async def _admitted(pool: Pool, owner: Owner, turns: int) -> int:
    results = await asyncio.gather(*(admit(pool, owner, _FEW) for _ in range(turns)), return_exceptions=True)
    refused = [one for one in results if one is not None]
    assert all(isinstance(one, LimitError) for one in refused), refused
    return turns - len(refused)


async def test_an_allowance_is_never_overdrawn_by_turns_at_once_and_is_ones_own(pool: Pool) -> None:
    ann, ben = Owner("limits", uuid4().hex), Owner("limits", uuid4().hex)
    assert await _admitted(pool, ann, 20) == 6
    assert await _admitted(pool, ann, 1) == 0
    assert await _admitted(pool, ben, 1) == 1


@pytest.mark.parametrize(("jump", "admitted"), [("1 hour", 6), ("-1 hour", 6), ("-10 seconds", 1)])
async def test_an_allowance_comes_back_with_time_and_survives_a_clock_that_is_set_back(
    pool: Pool, jump: str, admitted: int
) -> None:
    owner = Owner("limits", uuid4().hex)
    assert await _admitted(pool, owner, 6) == 6
    async with pool.connection() as connection:
        await connection.execute(
            "UPDATE turn_allowance SET whole = whole + %s::interval WHERE user_id = %s", (jump, owner.user_id)
        )
    assert await _admitted(pool, owner, 10) == admitted


async def test_turns_that_run_are_counted_across_pools_and_end_with_their_process(pool: Pool) -> None:
    owner = Owner("limits", uuid4().hex)
    async with AsyncExitStack() as running:
        for _ in range(2):
            thread = str(uuid4())
            await claim(pool, thread, owner, "")
            await running.enter_async_context(turn_lock(pool, thread))
        with pytest.raises(LimitError, match="SUPPORTPILOT_CONCURRENT_TURNS"):
            await admit(pool, owner, _FEW)
    await admit(pool, owner, _FEW)
