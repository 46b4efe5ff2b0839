"""Recalling what is known of the user for the newest question."""

import asyncio
from collections.abc import Mapping

from langgraph.runtime import Runtime

from nodes.identity import is_known, owner
from nodes.language import language
from nodes.log import current_turn
from nodes.memory.recall import asks_of_before, nearness_to_everyday, rank
from nodes.memory.zone import TOKENS, recalled_line, within
from nodes.state import Context, State
from nodes.window.tokens import estimate_tokens
from store.memories import MemoryStore, redacted
from store.memory import Memory
from store.refined_memories import refined_cosines
from store.resources import resources
from store.threads import Owner
from store.transfer import topic_counts

_WHOLE = frozenset({"preference", "profile"})
_CANDIDATES = 100
_REFLECTIONS = 3


async def recall(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Recall the memories that the question is about; preferences and profile stand in the user zone already."""
    who = owner(runtime)
    if not is_known(who):
        return {"recalled": []}
    opened = await resources()
    question = state["decision"]["question"] or current_turn(state["messages"])[0].text
    found = await relevant(opened.memories, who, question)
    lines = [recalled_line(memory, language(question)) for memory in found]
    return {"recalled": within(lines, TOKENS - estimate_tokens(state.get("user_zone", "")))}


async def relevant(store: MemoryStore, who: Owner, question: str) -> list[Memory]:
    """Return the memories of a user that a question is about, best first; mostly none.

    What no longer holds is only returned for a question about what was before. Preferences and profile that
    hold are left to the user zone.

    Args:
        store: the memories.
        who: whose.
        question: the standalone question.
    """
    (near, everyday), (slower, everyday_refined), counts = await asyncio.gather(
        _near(store, who, question), _by_refiner(store, who, question), topic_counts(store, who)
    )
    near = [(one, cosine) for one, cosine in near if one.kind not in _WHOLE or one.status == "superseded"]
    refined = [slower[memory.id] for memory, _ in near if memory.id in slower]
    ranked = await asyncio.to_thread(
        rank,
        question,
        [memory.text for memory, _ in near],
        [cosine for _, cosine in near],
        everyday,
        refined=refined if len(refined) == len(near) else (),
        everyday_refined=everyday_refined,
        counts=counts,
    )
    best = [redacted(near[place][0]) for place, _ in ranked]
    lessons = [memory for memory in best if memory.kind == "reflection"][_REFLECTIONS:]
    return [memory for memory in best if memory not in lessons]


async def _near(store: MemoryStore, who: Owner, question: str) -> tuple[list[tuple[Memory, float]], float]:
    """Return the nearest memories with their cosines, and the cosine of the nearest everyday topic."""
    vector = await store.embedder.embed_query(question)
    near = await store.nearest(who, question, vector, limit=_CANDIDATES, closed=asks_of_before(question))
    return near, await nearness_to_everyday(store.embedder, vector)


async def _by_refiner(store: MemoryStore, who: Owner, question: str) -> tuple[Mapping[str, float], float]:
    """Return the same by the slower model, cosines by memory; nothing where there is none."""
    if not store.refiner:
        return {}, 0.0
    vector = await store.refiner.embed_query(question)
    cosines = await refined_cosines(store.pool, store.refiner, who, vector)
    return cosines, await nearness_to_everyday(store.refiner, vector)
