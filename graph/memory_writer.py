"""The graph that reads a quiet thread for memories: what was said, what of it may be kept, one transaction."""

import logging
from functools import cache

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from graph.builder import Graph, compile_graph
from nodes.identity import owner, run_context
from nodes.memory.extraction import Extraction, Said, extract
from nodes.memory.learning import learned
from nodes.memory.outcomes import asked_topics
from nodes.memory.reading import left, turns_of, unread
from nodes.memory.writing import Stretch, without_forgotten, write
from nodes.models import chat_model
from nodes.state import Context
from store import refined_memories
from store.checkpoints import Checkpointer
from store.errors import AccessDeniedError
from store.jobs import cursor_of
from store.resources import resources
from store.threads import owner_of

_log = logging.getLogger(__name__)


class Reading(TypedDict, total=False):
    """What the graph is given, the id of a thread, and what it finds."""

    thread_id: str
    said: list[Said]
    stretch: Stretch
    extraction: Extraction
    written: list[str]
    """Ids of the memories that were written, changed or closed."""


MemoryWriter = CompiledStateGraph[Reading, Context, Reading, Reading]


async def read(state: Reading, runtime: Runtime[Context]) -> Reading:
    """Read the thread from where it was read to: the user's new messages, without private values.

    Raises:
        AccessDeniedError: the run is not the thread's owner's, or the thread has none.
    """
    opened, who, thread = await resources(), owner(runtime), state["thread_id"]
    if not who.user_id or await owner_of(opened.pool, thread) != who:
        raise AccessDeniedError(f"Thread {thread!r} is not this user's. Name one of the user's own threads.")
    epoch = await opened.memories.epoch(who)
    read_to, facts_to = await cursor_of(opened.pool, thread)
    support = _support().copy(update={"checkpointer": Checkpointer(opened.pool)})
    now = await support.aget_state({"configurable": {"thread_id": thread}})
    log, before = now.values.get("messages", []), list[BaseMessage]()
    if read_to:
        then: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_id": read_to}}
        before = (await support.aget_state(then)).values.get("messages", [])
    said, turns = unread(log, before, opened.settings), turns_of(thread, log, opened.settings)
    gone, facts_to = left(turns, now.values, facts_to)
    stretch = Stretch(
        thread_id=thread,
        epoch=epoch,
        read_to=str(now.config["configurable"].get("checkpoint_id", "")),
        facts_to=facts_to,
        topics=tuple(topic for one in said for topic in asked_topics(one.text)),
        learned=tuple(await learned(turns, gone, said, log)),
    )
    return {"said": said, "stretch": stretch}


async def extract_memories(state: Reading, runtime: Runtime[Context]) -> Reading:
    """Have the model say what may be kept; every row is checked against the user's own words.

    Raises:
        ModelError: the model is out of reach; the thread stays unread.
    """
    if not state["said"]:
        return {"extraction": Extraction()}
    settings = (await resources()).settings
    found = await extract(
        state["said"], chat_model(settings, run_context(runtime).model or settings.small_model)
    )
    return {"extraction": without_forgotten(found, state["said"], state["thread_id"])}


async def write_memories(state: Reading, runtime: Runtime[Context]) -> Reading:
    """Decide and write, together with how far the thread was read.

    Raises:
        ForgottenError: the user was forgotten meanwhile.
    """
    extraction = state["extraction"]
    written = await write((await resources()).memories, owner(runtime), state["stretch"], extraction)
    if extraction.refused or extraction.unreadable:
        refused = dict(extraction.refused) | ({"unreadable": 1} if extraction.unreadable else {})
        _log.info("memories refused", extra={"thread_id": state["thread_id"], "refused": refused})
    return {"written": [memory.id for memory in written]}


async def refine_memories(state: Reading, runtime: Runtime[Context]) -> Reading:
    """Embed the user's new memories by the slower model too, where it is installed."""
    del state
    memories = (await resources()).memories
    if memories.refiner:
        await refined_memories.refine_memories(memories.pool, memories.refiner, owner(runtime))
    return {}


@cache
def _support() -> Graph:
    """Return the graph whose threads are read; compiling it takes ten milliseconds, which are not spent on each reading."""
    return compile_graph()


def compile_memory_writer() -> MemoryWriter:
    """Compile the graph; it keeps no checkpoints, for the thread's cursor says what is done."""
    builder = StateGraph(Reading, context_schema=Context)
    builder.add_node("read", read)
    builder.add_node("extract", extract_memories)
    builder.add_node("write", write_memories)
    builder.add_node("refine", refine_memories)
    builder.add_edge(START, "read")
    builder.add_edge("read", "extract")
    builder.add_edge("extract", "write")
    builder.add_edge("write", "refine")
    builder.add_edge("refine", END)
    return builder.compile(name="memory_writer")
