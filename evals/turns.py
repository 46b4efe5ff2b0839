"""Whole turns of the product, each led by a policy and graded: what the suites `answers` and `routing` count."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from langchain_core.messages import BaseMessage

import nodes.retrieve
import nodes.routing
from evals.corpora import ANSWERABLE, said_before
from evals.grading import Graded, Turn, grade
from evals.intervals import Metric, metric
from evals.spending import counting
from graph.support import Support, config_of
from nodes.passages import passages_in
from nodes.state import Context, Decision, RouteName

POLICIES = ("fixed", "agentic", "routed")
"""One retrieval for everything, tools for everything, and the product itself."""


class Runner:
    """Asks one question at a time on a thread of its own."""

    def __init__(self, support: Support, collection: str) -> None:
        self.support, self.collection = support, collection

    async def row(self, policy: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Run one turn and grade it."""
        context = Context(collection=self.collection)
        thread = await self._begun(said_before(asked), context)
        with forced(policy), counting() as spent:
            reply = await self.support.ask(asked["question"], thread=thread, context=context)
        values = await self.support.state(reply.thread_id)
        turn = Turn(asked, reply.answer, passages_in(values["messages"]), values["messages"])
        graded = await grade(turn, self.support.resources.knowledge.embedder)
        of = list(spent.values())
        return {
            "id": f"{asked['id']} {policy}",
            "policy": policy,
            "kind": asked["kind"],
            "question": asked["question"],
            "answer": reply.answer,
            "passages": "\n\n".join(p["text"] for p in turn.given.values()),
            "route": reply.route,
            "reason": reply.reason,
            "model_calls": sum(one["calls"] for one in of),
            "tokens": sum(one["input"] + one["output"] for one in of),
            "latency_ms": reply.latency_ms,
            **(graded | ({"sentences": [], "citations": []} if reply.route == "direct" else {})),
            "failed": _failed(asked["kind"], graded),
        }

    async def _begun(self, said: Sequence[BaseMessage], context: Context) -> str:
        """Return a thread in which a conversation has been led before."""
        thread = str(uuid4())
        if said:
            log = [message.model_copy(update={"id": str(uuid4())}) for message in said]
            await self.support.history(thread, context=context)  # makes the thread this user's
            await self.support.graph.aupdate_state(config_of(thread), {"messages": log}, as_node="finish")
        return thread


@contextmanager
def forced(policy: str) -> Iterator[None]:
    """Have every turn inside answered by a policy, whatever the rules of routing would say; small talk aside."""
    decide = nodes.routing.decide

    def always(message: str, has_history: bool = False) -> Decision:
        decision = decide(message, has_history)
        if decision["route"] == "direct" or policy == "routed":
            return decision
        route: RouteName = "fixed" if policy == "fixed" else "agentic"
        return Decision(route=route, reason="always", question=message, confidence=None, answerable=True)

    sure = patch.object(nodes.retrieve, "ANSWERABLE", 0.0) if policy == "fixed" else nullcontext()
    with sure, patch.object(nodes.routing, "decide", always):
        yield


def calls_to_fixed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return the product's model calls by those of always fixed, and the same of the questions with an answer.

    Args:
        rows: turns, the same questions under both policies.
    """
    found = {}
    for name, kinds in (("calls_to_fixed", None), ("calls_to_fixed_answerable", ANSWERABLE)):
        routed, fixed = (
            [
                row["model_calls"]
                for row in rows
                if row["policy"] == policy and (not kinds or row["kind"] in kinds)
            ]
            for policy in ("routed", "fixed")
        )
        if sum(fixed):
            found[name] = metric(sum(routed) / sum(fixed), len(routed))
    return found


def _failed(kind: str, graded: Graded) -> bool:
    if kind == "unanswerable":
        return not graded["refused"]
    return kind in ANSWERABLE and not graded["complete"]
