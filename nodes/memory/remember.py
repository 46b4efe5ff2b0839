"""Reading a stretch of a thread for memories: extraction outside, decision and writing in one transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel

from nodes.memory.decide import decide
from nodes.memory.extraction import Extraction, Said, extract
from store.memories import MemoryStore
from store.memory import Memory
from store.privacy import redact
from store.threads import Owner


@dataclass(slots=True)
class Remembered:
    """What was done with a stretch of messages: memories written, and candidates refused by reason."""

    written: list[Memory] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    unreadable: bool = False


async def remember(
    store: MemoryStore,
    owner: Owner,
    thread_id: str,
    said: Sequence[Said],
    model: BaseChatModel,
    *,
    read_to: str = "",
) -> Remembered:
    """Write what a user's messages tell of the user, and how far the thread was read, together or not at all.

    Args:
        store: the memories.
        owner: whose messages.
        thread_id: their thread.
        said: the user's messages that were not read before, oldest first.
        model: the model of internal calls.
        read_to: id of the checkpoint that they reach to; empty: not recorded.

    Raises:
        ForgottenError: the user was forgotten meanwhile; nothing is written.
        ModelError: the model is out of reach; nothing is written.
    """
    epoch = await store.epoch(owner)
    extraction = await extract(said, model) if said else Extraction()
    while True:
        planned = _plan(extraction, thread_id, await store.of(owner, closed=True))
        known = await store.embed(memory.text for memory in planned)
        async with store.writing(owner, epoch) as connection:
            if _plan(extraction, thread_id, await store.of(owner, closed=True)) != planned:
                continue  # another writer of this user came in between
            await store.save(owner, planned, known)
            if read_to:
                await connection.execute(
                    "INSERT INTO memory_cursors VALUES (%s, %s)"
                    " ON CONFLICT (thread_id) DO UPDATE SET checkpoint_id = excluded.checkpoint_id",
                    (thread_id, read_to),
                )
            if extraction.unreadable:
                await connection.execute(
                    "INSERT INTO memory_dead_letters (tenant, user_id, thread_id, answer) VALUES (%s, %s, %s, %s)",
                    (owner.tenant, owner.user_id, thread_id, redact(extraction.unreadable).text[:2000]),
                )
        return Remembered(planned, extraction.refused, bool(extraction.unreadable))


def _plan(extraction: Extraction, thread_id: str, known: Sequence[Memory]) -> list[Memory]:
    """Return the memories to write, each decision made on what the ones before it left."""
    now, planned = {memory.id: memory for memory in known}, dict[str, Memory]()
    for candidate, said in extraction.found:
        for memory in decide(candidate, said, thread_id, list(now.values())):
            now[memory.id] = planned[memory.id] = memory
    return list(planned.values())
