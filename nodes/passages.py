"""Passages in the log: a search is a ``search_kb`` call and its result, whoever asked for it."""

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.language import language
from nodes.phrases import ANSWER_FROM_PASSAGES
from store.search import Passage

SEARCH_TOOL = "search_kb"


def search_messages(query: str, passages: Sequence[Passage], *, turn: str, ms: int) -> list[BaseMessage]:
    """Return the call and the result that record one search.

    The ids come from the turn and the query, so that a step that runs again after a crash replaces its own
    messages instead of adding to them.

    Args:
        query: what was searched for.
        passages: what was found, best first.
        turn: id of the user message that the search belongs to.
        ms: how long the search took.
    """
    call = "call_" + blake2b(f"{turn}\0{query}".encode(), digest_size=9).hexdigest()
    return [
        AIMessage(
            "", id=f"{call}-ask", tool_calls=[{"name": SEARCH_TOOL, "args": {"query": query}, "id": call}]
        ),
        ToolMessage(
            encode(passages, query),
            id=f"{call}-result",
            name=SEARCH_TOOL,
            tool_call_id=call,
            # For people and code; a model is not sent the artifact.
            artifact={"titles": {passage.id: passage.title for passage in passages}, "ms": ms},
        ),
    ]


def encode(passages: Sequence[Passage], query: str) -> str:
    """Return passages as the model reads them: JSON, so that no text can pose as another passage.

    The task stands behind them, for a small model has forgotten the question by then.
    """
    listed = [{"id": p.id, "section": p.section, "text": p.text} for p in passages]
    task = ANSWER_FROM_PASSAGES[language(query)].replace("<question>", query)
    return json.dumps({"passages": listed, "task": task}, ensure_ascii=False)


def passages_in(messages: Sequence[BaseMessage]) -> dict[str, Mapping[str, str]]:
    """Return every passage that some messages hold, by id, with id, title, section and text.

    A later one of the same id wins.

    Args:
        messages: a thread's log or a part of it.
    """
    found: dict[str, Mapping[str, str]] = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.name == SEARCH_TOOL:
            titles = (message.artifact or {}).get("titles", {})
            found.update({p["id"]: {"title": titles.get(p["id"], ""), **p} for p in _decode(message.text)})
    return found


def _decode(content: str) -> list[dict[str, str]]:
    try:
        listed: list[dict[str, str]] = json.loads(content)["passages"]
    except (ValueError, KeyError, TypeError):
        return []  # an error that a tool reported instead of passages
    return listed
