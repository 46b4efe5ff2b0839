"""Users who tell of errors while workers are stopped, and what has become of each turn in the end."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import LiteralString

from graph.support import Support
from nodes.memory.outcomes import asked_topics
from nodes.state import Context
from store.erasure import forget
from store.memory import owner_key
from store.threads import Owner
from store.transfer import topic_counts

READ_SECONDS = 60.0
"""Seconds in which a worker that nobody stops has read a thread."""
_FIRST_CODE = 1_000
_WAITING: LiteralString = "SELECT count(*) AS n FROM procrastinate_jobs WHERE args->>'owner' = ANY(%s)"
_ASIDE: LiteralString = "SELECT count(*) AS n FROM memory_dead_letters WHERE user_id = ANY(%s)"


@dataclass(slots=True)
class Talk:
    """Users who talk, each turn with a code of its own."""

    support: Support
    owners: Sequence[Owner]
    said: list[tuple[Owner, str, str]] = field(default_factory=list)
    """Owner, code and text of each turn that was answered."""

    async def go_on(self, threads: int) -> None:
        """Say the next turn, on the next thread of the next user."""
        place = len(self.said)
        code = f"E{_FIRST_CODE + place}"
        owner, thread = self.owners[place % len(self.owners)], place // len(self.owners) % threads
        said = (owner, code, f"导入流水失败，报 {code}")
        self.said.append(said)
        await self.support.ask(
            said[2], thread=f"t{thread}", context=Context(user_id=owner.user_id, tenant=owner.tenant)
        )

    async def outcome(self) -> tuple[int, int, int, int]:
        """Count what is lost, what is there twice, what was put aside as unreadable, and what waits; forget the users."""
        lost = doubled = aside = 0
        memories = self.support.resources.memories
        for owner in self.owners:
            codes = [code for who, code, _ in self.said if who == owner]
            topics = Counter(t for who, _, text in self.said if who == owner for t in asked_topics(text))
            kept = Counter(memory.slot for memory in await memories.of(owner, closed=True))
            counted = Counter(await topic_counts(memories, owner))
            lost += sum(not kept[f"event.{code}"] for code in codes) + (topics - counted).total()
            doubled += kept.total() - len(kept) + (counted - topics).total()
            aside += await self._count(_ASIDE, [owner.user_id])
        waiting = await self.waiting()
        for owner in self.owners:
            await forget(memories, owner, threads=True)
        return lost, doubled, aside, waiting

    async def waiting(self) -> int:
        """Return how many jobs of these users there are."""
        keys = [owner_key(owner) for owner in self.owners]
        return await self._count(_WAITING, keys)

    async def read(self) -> None:
        """Wait until no job of these users is left.

        Raises:
            TimeoutError: there still is one after a time in which a worker has read everything.
        """
        async with asyncio.timeout(READ_SECONDS):
            while await self.waiting():  # noqa: ASYNC110 - another process, no event tells
                await asyncio.sleep(0.1)

    async def _count(self, query: LiteralString, values: Sequence[str]) -> int:
        async with self.support.resources.pool.connection() as connection:
            cursor = await connection.execute(query, (values,))
            row = await cursor.fetchone()
        return int(row["n"]) if row else 0
