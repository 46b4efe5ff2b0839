"""Fixed RAG's one retrieval: a standalone question, one search, and whether it is good enough."""

from time import perf_counter

from langgraph.runtime import Runtime

from nodes.identity import run_context
from nodes.log import current_turn, dialogue
from nodes.look_up import look_up
from nodes.models import chat_model
from nodes.passages import search_messages
from nodes.state import Context, Decision, State
from store.confidence import ANSWERABLE
from store.resources import resources
from store.sample import collection_in_use

UNSURE = "no passage is sure enough to answer from"
"""Why a turn is handed to the agent after its retrieval."""


async def retrieve(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Search the help centre for the newest question, log the search, and decide whether it is enough.

    Raises:
        RetrievalError: the collection is not there, or the index or the embedder fails.
        ModelError: the model that rewrites follow-ups fails.
    """
    opened, context = await resources(), run_context(runtime)
    turn = current_turn(state["messages"])[0]
    model = chat_model(opened.settings, context.model or opened.settings.small_model)
    collection = await collection_in_use(opened.knowledge, opened.settings, context.collection)
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
