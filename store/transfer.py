"""Taking memories along: export, import and correction."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from store.arguments import wrong_parts
from store.errors import MalformedError, NotFoundError
from store.memories import ForgottenError, MemoryStore
from store.memory import Evidence, Memory, from_value
from store.postgres import Connection
from store.privacy import redact
from store.storable import storable
from store.threads import Owner

Format = Literal["supportpilot.memories/1"]
CORRECTION = "correction"
"""Stands in the place of a message's id where a memory rests on what its user wrote into it."""
_BATCH = 200

_Topic = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Exported(BaseModel):
    """An export of memories, as `export_memories` gives it."""

    format: Format
    memories: list[Memory]
    topics: dict[_Topic, Annotated[int, Field(ge=0, lt=2**31)]] = {}


async def export_memories(store: MemoryStore, owner: Owner) -> dict[str, Any]:
    """Return everything that is known of a user, superseded memories, evidence and counters included."""
    memories = await store.of(owner, closed=True)
    topics = await topic_counts(store, owner)
    return {
        "format": get_args(Format)[0],
        "memories": [asdict(memory) for memory in memories],
        "topics": dict(topics),
    }


async def import_memories(store: MemoryStore, owner: Owner, exported: Mapping[str, Any]) -> int:
    """Bring exported memories back, under their ids; what is there already under an id is replaced.

    Returns:
        How many memories were written.

    Raises:
        MalformedError: it is no export, or a row is no memory; nothing is written then.
    """
    try:
        found = Exported.model_validate(storable(exported))
    except ValidationError as error:
        raise MalformedError(
            f"Not an export of memories: {wrong_parts(error)}. Give what `supportpilot memory export` wrote."
        ) from error
    memories = [from_value(asdict(memory)) for memory in found.memories]
    await write_memories(store, owner, memories)
    async with store.writing(owner) as connection:
        for topic, count in sorted(found.topics.items()):
            await connection.execute(
                "INSERT INTO memory_topics (tenant, user_id, topic, count) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT (tenant, user_id, topic) DO UPDATE SET count = excluded.count",
                (owner.tenant, owner.user_id, topic, count),
            )
    return len(memories)


async def write_memories(
    store: MemoryStore, owner: Owner, memories: Sequence[Memory], epoch: int | None = None
) -> None:
    """Embed memories, then write them.

    Args:
        store: the memories.
        owner: whose they are.
        memories: what to write.
        epoch: the user's epoch when what they follow from was read; ``None``: not checked.

    Raises:
        ForgottenError: the user forgot something since; this batch is not written.
    """
    for first in range(0, len(memories), _BATCH):
        batch = memories[first : first + _BATCH]
        known = await store.embed(memory.text for memory in batch)
        async with store.writing(owner, epoch):
            await store.save(owner, batch, known)


async def correct_memory(store: MemoryStore, owner: Owner, memory_id: str, text: str) -> Memory:
    """Replace what a memory says; it rests on the correction from now on, and the old wording is kept as superseded.

    Where it was one of several that contradict each other, the others cease to hold as well.

    Raises:
        NotFoundError: the user has no such memory.
        MalformedError: it no longer holds, or nothing is left of the text without its private values.
        ForgottenError: the user forgot something meanwhile.
    """
    epoch, now = await store.epoch(owner), datetime.now(UTC).isoformat()
    old = await one_memory(store, owner, memory_id)
    if old.status == "superseded":
        raise MalformedError(f"Memory {old.id!r} no longer holds. Correct the one that took its place.")
    clean = redact(storable(text)).text.strip()
    if not clean:
        raise MalformedError("The corrected text is empty. Say what holds instead, or forget the memory.")
    said = Evidence(thread_id="", message_id=CORRECTION, span=clean)
    new = replace(
        old,
        text=clean,
        value=clean,
        evidence=(said,),
        written=now,
        event_time="",
        source="user",
        status="active",
    )
    rivals = [
        one
        for one in await store.of(owner)
        if one.slot == old.slot and one.status == old.status == "conflicting" and one.id != old.id
    ]
    ended = [replace(old, id=f"{old.id}@{now}"), *rivals]
    closed = [replace(one, status="superseded", valid_to=now) for one in ended]
    await write_memories(store, owner, [new, *closed], epoch)
    return new


async def mark_conflicting(store: MemoryStore, owner: Owner, memories: Sequence[Memory], epoch: int) -> None:
    """Mark memories that something better known contradicts; they are kept, and shown as doubtful.

    Args:
        store: the memories.
        owner: whose they are.
        memories: which.
        epoch: the user's epoch when they were read; what was forgotten since stays so.
    """
    with suppress(ForgottenError):
        await write_memories(
            store, owner, [replace(memory, status="conflicting") for memory in memories], epoch
        )


async def one_memory(store: MemoryStore, owner: Owner, memory_id: str) -> Memory:
    """Return a memory by its id, or by the beginning of it if only one begins so.

    Raises:
        NotFoundError: the user has none, or several.
    """
    found = [memory for memory in await store.of(owner, closed=True) if memory.id.startswith(memory_id)]
    exact = [memory for memory in found if memory.id == memory_id]
    if len(exact or found) != 1:
        raise NotFoundError(
            f"{len(found)} memories begin with {memory_id!r}. `supportpilot memory list` shows the ids."
        )
    return (exact or found)[0]


async def add_topics(connection: Connection, owner: Owner, topics: Sequence[str]) -> None:
    """Count topics within a transaction; one that is named twice counts twice."""
    if topics:
        await connection.execute(
            "INSERT INTO memory_topics (tenant, user_id, topic, count)"
            " SELECT %s, %s, topic, count(*) FROM unnest(%s::text[]) topic GROUP BY topic ORDER BY topic"
            " ON CONFLICT (tenant, user_id, topic)"
            " DO UPDATE SET count = memory_topics.count + excluded.count, last = now()",
            (owner.tenant, owner.user_id, sorted(topics)),
        )


async def topic_counts(store: MemoryStore, owner: Owner) -> Mapping[str, int]:
    """Return how often a user asked about each topic, most often first."""
    async with store.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT topic, count FROM memory_topics WHERE tenant = %s AND user_id = %s ORDER BY count DESC, topic",
            (owner.tenant, owner.user_id),
        )
        return {row["topic"]: row["count"] for row in await cursor.fetchall()}
