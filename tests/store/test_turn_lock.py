import asyncio
from uuid import uuid4

from store.postgres import Pool, open_pool
from store.settings import Settings
from store.turn_lock import turn_lock


async def test_only_one_turn_holds_a_thread_while_other_threads_go_on(config: Settings) -> None:
    inside = 0
    most = 0

    async def turn(thread: str, locks: Pool) -> None:
        nonlocal inside, most
        async with turn_lock(locks, thread):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    async with open_pool(config, size=10) as locks:
        thread = str(uuid4())
        await asyncio.gather(*(turn(thread, locks) for _ in range(8)))
        assert most == 1
        await asyncio.gather(*(turn(str(uuid4()), locks) for _ in range(8)))
        assert most > 1
