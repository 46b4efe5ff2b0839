"""A turn's result, as code and the command line get it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from graph.meanwhile import said_meanwhile
from nodes.citations import cited_ids
from nodes.language import answer_language
from nodes.log import current_turn
from nodes.passages import passages_in
from nodes.phrases import ACTIONS, HELD, WAITS
from nodes.state import Usage


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the answer cites."""

    id: str
    title: str
    section: str
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """A tool call of the turn; ``chars`` is the length of its result, ``ms`` how long it took."""

    n: int
    tool: str
    args: Mapping[str, Any]
    chars: int
    ms: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What a turn gave."""

    answer: str
    citations: list[Citation]
    route: str
    reason: str
    thread_id: str
    collection: str
    model: str
    usage: Usage
    latency_ms: int
    steps: list[Step]
    waiting: list[Mapping[str, Any]]
    """Requests that a person has to approve before the turn goes on, as in the HITL schema."""
    ticket: int | None
    """The ticket by which a person has the thread."""
    meanwhile: list[str]
    """What was said in the thread since the reply before this one: what became of requests, a person's answers."""

    def to_json(self) -> str:
        """Return the reply as one JSON object, Chinese as itself."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=2)


def reply_of(
    values: Mapping[str, Any],
    waiting: Sequence[Mapping[str, Any]] = (),
    *,
    thread_id: str,
    collection: str,
    model: str,
    latency_ms: int,
) -> Reply:
    """Read a turn's result from the state after it.

    Args:
        values: the state's channels.
        waiting: requests for approval at which the turn stands.
        thread_id: the thread.
        collection: the collection that answers on it.
        model: the model that was configured; the one that the endpoint names goes before it.
        latency_ms: from message to answer.
    """
    turn = current_turn(values["messages"])
    last = next((m for m in reversed(turn) if isinstance(m, AIMessage) and m.text), AIMessage(""))
    decision = values["decision"]
    return Reply(
        answer="\n\n".join(part for part in (last.text, notice(values, waiting)) if part),
        citations=_citations(last.text, values["messages"]),
        route=decision["route"],
        reason=decision["reason"],
        thread_id=thread_id,
        collection=collection,
        model=last.response_metadata.get("model_name", model),
        usage=values["usage"],
        latency_ms=latency_ms,
        steps=_steps(turn),
        waiting=list(waiting),
        ticket=values.get("ticket"),
        meanwhile=said_meanwhile(values["messages"]),
    )


def notice(values: Mapping[str, Any], waiting: Sequence[Mapping[str, Any]]) -> str:
    """Say why a turn has no answer yet: it waits for approval, or a person has the thread. Nothing logs it."""
    turn = current_turn(values["messages"])
    lang = answer_language(turn[0])
    if waiting:
        names = [ACTIONS.get(one["name"], {}).get(lang, one["name"]) for one in waiting]
        return WAITS[lang].format(what=(" / ").join(names))
    return HELD[lang] if values.get("ticket") and len(turn) == 1 else ""


def _citations(answer: str, log: Sequence[BaseMessage]) -> list[Citation]:
    given = passages_in(log)
    known = [given[one] for one in dict.fromkeys(cited_ids(answer)) if one in given]
    return [Citation(p["id"], p["title"], p["section"], p["text"]) for p in known]


def _steps(turn: Sequence[BaseMessage]) -> list[Step]:
    calls = {call["id"]: call for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
    results = [
        (calls[m.tool_call_id], m) for m in turn if isinstance(m, ToolMessage) and m.tool_call_id in calls
    ]
    return [
        Step(
            n=n,
            tool=call["name"],
            args=call["args"],
            chars=len(result.text),
            ms=(result.artifact or {}).get("ms", 0),
        )
        for n, (call, result) in enumerate(results, start=1)
    ]
