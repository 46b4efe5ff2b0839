"""Forgetting users while a worker reads their threads: what was forgotten must not come back."""

import asyncio
import random
from dataclasses import dataclass
from time import monotonic
from typing import LiteralString
from uuid import uuid4

from evals.stopped_worker import running
from graph.support import Support
from nodes.state import Context
from store.erasure import forget
from store.errors import StoreError
from store.jobs import queue_reading
from store.leftovers import rows_left
from store.memory import owner_key
from store.threads import Owner

_LATEST = 0.08
"""Seconds after a worker took up a reading within which the user is forgotten; about as long as a reading takes."""
_AT_ONCE = 6
_PATIENCE = 60.0
_POLL = 0.005
_SAID = "我们是年付的专业版，导入招商银行流水失败，报 E1043"
_JOBS: LiteralString = "SELECT status::text AS status FROM procrastinate_jobs WHERE args->>'owner' = %s"


@dataclass(slots=True)
class Races:
    """What came of users who were forgotten while a worker read what they said.

    Attributes:
        run: how many users.
        met: those whose reading had begun, and not ended, when they were forgotten.
        resurrected: those of whom something is left after every reading has ended.
        unread: those whose turn or reading did not come to its end in time.
    """

    run: int = 0
    met: int = 0
    resurrected: int = 0
    unread: int = 0


async def race(support: Support, url: str, *, races: int, deadline: float) -> Races:
    """Run a worker, have users say something, and forget each at some moment of the reading.

    Half of them keep their conversation, which the worker is given once more; of the others every row must be gone.

    Args:
        support: the product.
        url: its database.
        races: how many users; each says something of a plan, a bank and an error.
        deadline: no user begins after that, by the monotonic clock.
    """
    found, chance, numbers = Races(), random.Random(races), iter(range(races))  # noqa: S311 - no secret

    async def go_on() -> None:
        for number in numbers:
            if monotonic() > deadline:
                return
            found.run += 1
            try:
                async with asyncio.timeout(_PATIENCE):
                    await _race(support, found, chance.uniform(0, _LATEST), threads=bool(number % 2))
            except (TimeoutError, StoreError):  # the machine is too busy
                found.unread += 1

    if races:
        with running(url):
            await asyncio.gather(*(go_on() for _ in range(_AT_ONCE)))
    return found


async def _race(support: Support, found: Races, seconds: float, *, threads: bool) -> None:
    opened, owner = support.resources, Owner("durability", uuid4().hex)
    reply = await support.ask(
        _SAID, thread="race", context=Context(user_id=owner.user_id, tenant=owner.tenant)
    )
    while "todo" in await _jobs(support, owner):  # noqa: ASYNC110 - another process, no event tells
        await asyncio.sleep(_POLL)
    await asyncio.sleep(seconds)
    found.met += "doing" in await _jobs(support, owner)
    await forget(opened.memories, owner, threads=threads)
    if not threads:
        await queue_reading(opened.pool, reply.thread_id, owner, seconds=0)
    while await _jobs(support, owner):  # noqa: ASYNC110 - another process, no event tells
        await asyncio.sleep(_POLL * _AT_ONCE)
    if threads:
        found.resurrected += bool(await rows_left(opened.pool, owner, [reply.thread_id]))
        return
    found.resurrected += bool(await opened.memories.of(owner, closed=True))
    await forget(opened.memories, owner, threads=True)


async def _jobs(support: Support, owner: Owner) -> list[str]:
    async with support.resources.pool.connection() as connection:
        cursor = await connection.execute(_JOBS, (owner_key(owner),))
        return [row["status"] for row in await cursor.fetchall()]
