"""The worker beside other work: it ends when they do."""

import asyncio

import pytest

from graph.support import Support
from graph.worker import stop, worker


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.003, 0.01, 0.03, 0.1])
async def test_a_command_that_ends_while_the_worker_begins_ends(support: Support, seconds: float) -> None:
    async with asyncio.timeout(30):
        async with worker(support.resources):
            await asyncio.sleep(seconds)


async def test_a_task_that_takes_a_cancellation_for_something_else_is_cancelled_again() -> None:
    lost: list[int] = []

    async def stubborn() -> None:
        while len(lost) < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost.append(1)

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await stop([task])
    assert len(lost) == 2
