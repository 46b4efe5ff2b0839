from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from store.erasure import forget
from store.memories import MemoryStore
from store.memory import Memory
from store.persistence import open_persistence
from store.refined_memories import refine_memories, refined_cosines
from store.settings import Settings
from store.threads import Owner
from store.transfer import write_memories
from tests.store.test_memories import HashEmbedder, memory

_MODEL = HashEmbedder()


@pytest.fixture(scope="module")
async def store(config: Settings) -> AsyncIterator[MemoryStore]:
    async with open_persistence(config) as (_, _saver, opened):
        yield opened


async def _written(store: MemoryStore, *texts: str) -> tuple[Owner, list[Memory]]:
    owner, memories = Owner("refined", uuid4().hex), [memory(text) for text in texts]
    await write_memories(store, owner, memories)
    return owner, memories


async def _cosines(store: MemoryStore, owner: Owner, question: str = "a") -> dict[str, float]:
    return await refined_cosines(store.pool, _MODEL, owner, await _MODEL.embed_query(question))


async def test_every_memory_gets_a_second_vector_once(store: MemoryStore) -> None:
    owner, (one, other) = await _written(store, "a", "b")
    assert await _cosines(store, owner) == {}
    assert await refine_memories(store.pool, _MODEL, owner) == 2
    assert await refine_memories(store.pool, _MODEL, owner) == 0
    found = await _cosines(store, owner)
    assert found == {one.id: pytest.approx(1, abs=1e-5), other.id: found[other.id]}
    assert found[other.id] < 0.99
    await forget(store, owner)


async def test_a_vector_goes_with_its_text(store: MemoryStore) -> None:
    owner, (one, other) = await _written(store, "a", "b")
    await refine_memories(store.pool, _MODEL, owner)
    await write_memories(store, owner, [replace(one, text="c")])
    assert (await _cosines(store, owner)).keys() == {other.id}
    assert await refine_memories(store.pool, _MODEL, owner) == 1
    await forget(store, owner)


async def test_what_is_forgotten_leaves_no_vector_and_the_receipt_counts_it(store: MemoryStore) -> None:
    owner, _ = await _written(store, "a", "b")
    await refine_memories(store.pool, _MODEL, owner)
    assert (await forget(store, owner)).rows["memory_refined"] == 2
    assert await refine_memories(store.pool, _MODEL, owner) == 0


async def test_another_models_vectors_are_made_anew(store: MemoryStore) -> None:
    owner, _ = await _written(store, "a")
    await refine_memories(store.pool, _MODEL, owner)
    other = HashEmbedder()
    other.name = "another"
    assert await refined_cosines(store.pool, other, owner, await other.embed_query("a")) == {}
    assert await refine_memories(store.pool, other, owner) == 1
    await forget(store, owner)
