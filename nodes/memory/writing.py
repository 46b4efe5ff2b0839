"""Writing what was read of a thread: each decision on what is known by then, everything in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nodes.memory.commands import concerned, memory_command
from nodes.memory.decide import decide, memory_of
from nodes.memory.extraction import Extraction, Said
from nodes.memory.outcomes import REFLECTIONS
from nodes.memory.signals import Candidate
from store.memories import MemoryStore
from store.memory import Memory
from store.postgres import Connection
from store.privacy import redact
from store.threads import Owner
from store.transfer import add_topics

_LONGEST_LETTER = 2000


@dataclass(frozen=True, slots=True)
class Stretch:
    """What of a thread was read.

    Attributes:
        thread_id: the thread.
        epoch: the user's epoch when it was read; a user who was forgotten since gets nothing written.
        read_to: id of the checkpoint that it reaches to; empty: the place is not recorded.
        facts_to: number of the first turn that was not searched for facts.
        topics: topics of the user's messages, one entry a message that speaks of it.
        learned: facts and reflections, which need no decision.
    """

    thread_id: str
    epoch: int
    read_to: str = ""
    facts_to: int = 1
    topics: tuple[str, ...] = ()
    learned: tuple[Memory, ...] = ()


async def write(store: MemoryStore, owner: Owner, stretch: Stretch, extraction: Extraction) -> list[Memory]:
    """Write what a stretch of a thread tells of its user, and how far it was read, together or not at all.

    Returns:
        What was written: new memories, and those that were changed or closed.

    Raises:
        ForgottenError: the user was forgotten meanwhile; nothing is written.
    """
    while True:
        planned = plan(extraction, stretch, await store.of(owner, closed=True))
        known = await store.embed(memory.text for memory in planned)
        async with store.writing(owner, stretch.epoch) as connection:
            present = await store.of(owner, closed=True)
            if plan(extraction, stretch, present) != planned:
                continue  # another writer of this user came in between
            if stretch.read_to and await _read_already(connection, stretch):
                return []
            await store.save(owner, planned, known)
            await store.remove(owner, _too_many([*present, *planned]))
            await _record(connection, owner, stretch, extraction)
        return planned


def plan(extraction: Extraction, stretch: Stretch, known: Sequence[Memory]) -> list[Memory]:
    """Return the memories to write, each decision made on what the ones before it left."""
    now, planned = {memory.id: memory for memory in known}, dict[str, Memory]()
    for candidate, said in extraction.found:
        for memory in decide(candidate, said, stretch.thread_id, list(now.values())):
            now[memory.id] = planned[memory.id] = memory
    held = {(memory.slot, memory.text) for memory in known}
    planned |= {m.id: m for m in stretch.learned if m.id not in now and (m.slot, m.text) not in held}
    return list(planned.values())


def without_forgotten(extraction: Extraction, said: Sequence[Said], thread_id: str) -> Extraction:
    """Leave out what the user asked to forget in a later message of the same stretch."""
    wishes = [
        (place, command.about)
        for place, one in enumerate(said)
        if (command := memory_command(one.text)) and command.name == "forget"
    ]
    places = {one.message_id: place for place, one in enumerate(said)}

    def forgotten(candidate: Candidate, by: Said) -> bool:
        memory = memory_of(candidate, by, thread_id)
        return any(concerned(about, [memory]) for place, about in wishes if places[by.message_id] < place)

    return replace(extraction, found=[pair for pair in extraction.found if not forgotten(*pair)])


def _too_many(memories: Sequence[Memory]) -> list[Memory]:
    """Return the oldest reflections above the cap."""
    reflections = {memory.id: memory for memory in memories if memory.kind == "reflection"}
    newest = sorted(reflections.values(), key=lambda memory: (memory.written, memory.id), reverse=True)
    return newest[REFLECTIONS:]


async def _read_already(connection: Connection, stretch: Stretch) -> bool:
    cursor = await connection.execute(
        "SELECT checkpoint_id >= %s AS done FROM memory_cursors WHERE thread_id = %s",
        (stretch.read_to, stretch.thread_id),
    )
    row = await cursor.fetchone()
    return bool(row and row["done"])


async def _record(connection: Connection, owner: Owner, stretch: Stretch, extraction: Extraction) -> None:
    if stretch.read_to:
        await connection.execute(
            "INSERT INTO memory_cursors (thread_id, checkpoint_id, facts_to) VALUES (%s, %s, %s) ON CONFLICT (thread_id)"
            " DO UPDATE SET checkpoint_id = excluded.checkpoint_id, facts_to = excluded.facts_to",
            (stretch.thread_id, stretch.read_to, stretch.facts_to),
        )
        await add_topics(connection, owner, stretch.topics)
    for answer in (extraction.unreadable, *extraction.malformed):
        if answer:
            await connection.execute(
                "INSERT INTO memory_dead_letters (tenant, user_id, thread_id, answer) VALUES (%s, %s, %s, %s)",
                (owner.tenant, owner.user_id, stretch.thread_id, redact(answer).text[:_LONGEST_LETTER]),
            )
