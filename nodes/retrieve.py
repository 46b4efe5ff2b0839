"""Fixed RAG's one retrieval: a standalone question, one search, and whether it is good enough."""

from time import perf_counter

from langgraph.runtime import Runtime

from nodes.identity import run_context
from nodes.log import current_turn, dialogue
from nodes.models import chat_model
from nodes.passages import search_messages
from nodes.rewrite import rewrite
from nodes.state import Context, Decision, State
from store.confidence import ANSWERABLE
from store.resources import resources
from store.sample import collection_in_use
from store.search import search

PASSAGES = 5
"""Passages of one search: with five the right article is among them for 90 % of 245 tuning questions."""


async def retrieve(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Search the help centre for the newest question and log the search.

    Raises:
        RetrievalError: the collection is not there, or the index or the embedder fails.
        ModelError: the model that rewrites follow-ups fails.
    """
    opened, context = await resources(), run_context(runtime)
    turn = current_turn(state["messages"])[0]
    model = chat_model(opened.settings, context.model or opened.settings.small_model)
    rewritten = await rewrite(turn.text, dialogue(state["messages"]), model)
    collection = await collection_in_use(opened.knowledge, opened.settings, context.collection)
    began = perf_counter()
    passages = await search(opened.knowledge, rewritten.text, collection=collection, k=PASSAGES)
    took = round((perf_counter() - began) * 1000)
    confidence = max((passage.confidence for passage in passages), default=0.0)
    sure = confidence >= ANSWERABLE
    return {
        "usage": rewritten.usage,
        "messages": search_messages(rewritten.text, passages, turn=str(turn.id), ms=took),
        "decision": Decision(
            route="fixed",
            reason=state["decision"]["reason"] if sure else "no passage is sure enough to answer from",
            question=rewritten.text,
            confidence=round(confidence, 3),
            answerable=sure,
        ),
    }
