"""Forgetting a user while a thread of theirs is being read: what was forgotten must not come back."""

import asyncio
import random
from contextlib import suppress
from uuid import uuid4

from graph.memory_writer import compile_memory_writer
from graph.support import Support
from graph.worker import drain, read_thread
from nodes.state import Context
from store.erasure import forget, rows_left
from store.memories import ForgottenError
from store.threads import Owner

_LATEST = 0.08
"""Seconds after the begin of a reading within which a user is forgotten; about as long as a reading takes."""
_SAID = "我们是年付的专业版，导入招商银行流水失败，报 E1043"


async def resurrected(support: Support, races: int) -> int:
    """Return of how many users something is left who were forgotten while the writer ran.

    Half of them keep their conversation, which is offered to the writer once more; of the others every row must be gone.

    Args:
        support: the product.
        races: how many users; each says something of a plan, a bank and an error.
    """
    chance = random.Random(races)  # noqa: S311 - no secret
    return sum([await _race(support, chance.uniform(0, _LATEST), threads=bool(n % 2)) for n in range(races)])


async def _race(support: Support, seconds: float, *, threads: bool) -> bool:
    opened, owner = support.resources, Owner("durability", uuid4().hex)
    reply = await support.ask(
        _SAID, thread="race", context=Context(user_id=owner.user_id, tenant=owner.tenant)
    )

    async def read() -> None:
        with suppress(ForgottenError):
            await read_thread(opened, compile_memory_writer(), reply.thread_id)

    async def forget_meanwhile() -> None:
        await asyncio.sleep(seconds)
        await forget(opened.memories, owner, threads=threads)

    await asyncio.gather(read(), forget_meanwhile())
    if threads:
        return bool(await rows_left(opened.pool, owner, [reply.thread_id]))
    await drain(opened)
    left = bool(await opened.memories.of(owner, closed=True))
    await forget(opened.memories, owner, threads=True)
    return left
