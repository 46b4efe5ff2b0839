"""Looking up before the model is asked: one search for one question, and for several one each, in one step."""

import asyncio
from collections.abc import Sequence
from time import perf_counter

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.runtime import Runtime

from nodes.identity import run_context
from nodes.log import current_turn, dialogue
from nodes.look_up import PASSAGES, look_up
from nodes.models import chat_model
from nodes.parts import standalone_parts
from nodes.passages import search_messages, step_messages
from nodes.rewrite import turns
from nodes.state import Context, Decision, State
from store.confidence import ANSWERABLE
from store.knowledge import Knowledge
from store.resources import resources
from store.sample import collection_in_use
from store.search import search

UNSURE = "no passage is sure enough to answer from"
"""Why a turn is handed to the agent after its retrieval."""


async def retrieve(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Search the help centre for the newest message, log the search, and decide whether it is enough.

    Several questions are searched for each, and are the agent's in any case.

    Raises:
        RetrievalError: the collection is not there, or the index or the embedder fails.
        ModelError: the model that rewrites follow-ups fails.
    """
    opened, context = await resources(), run_context(runtime)
    collection = await collection_in_use(opened.knowledge, opened.settings, context.collection)
    if state["decision"]["route"] == "agentic":
        return {"messages": await _look_up_each(state["messages"], opened.knowledge, collection)}
    turn = current_turn(state["messages"])[0]
    model = chat_model(opened.settings, context.model or opened.settings.small_model)
    began = perf_counter()
    found = await look_up(
        opened.knowledge, turn.text, dialogue(state["messages"]), model, collection=collection
    )
    took = round((perf_counter() - began) * 1000)
    return {
        "usage": found.usage,
        "messages": search_messages(found.question, found.passages, turn=str(turn.id), ms=took),
        "decision": graded(state["decision"], found.question, found.confidence),
    }


async def _look_up_each(
    log: Sequence[AnyMessage], knowledge: Knowledge, collection: str
) -> list[BaseMessage]:
    """Search for each question of the newest message; the model searches again where it sees fit."""
    turn = current_turn(log)[0]
    parts = list(dict.fromkeys(standalone_parts(turn.text, turns(dialogue(log)))))
    began = perf_counter()
    rankings = await asyncio.gather(
        *(search(knowledge, part, collection=collection, k=PASSAGES) for part in parts)
    )
    found = dict(zip(parts, rankings, strict=True))
    return step_messages(found, turn=str(turn.id), ms=round((perf_counter() - began) * 1000))


def graded(decision: Decision, question: str, confidence: float) -> Decision:
    """Return the decision after retrieval: passages that are not sure enough are left to the agent.

    Args:
        decision: the one before it.
        question: what was searched for.
        confidence: that of the best passage.
    """
    sure = confidence >= ANSWERABLE
    return Decision(
        route="fixed" if sure else "agentic",
        reason=decision["reason"] if sure else UNSURE,
        question=question,
        confidence=round(confidence, 3),
        answerable=True,
    )
