"""The suite `answers`: whole turns under several policies, and what their answers are worth and cost."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from statistics import mean
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from langchain_core.messages import BaseMessage

import nodes.retrieve
import nodes.routing
from evals import plots
from evals.corpora import ANSWERABLE, ingested, load_corpus, said_before
from evals.grading import Graded, Turn, grade
from evals.intervals import Metric, metric, percentile, share
from evals.results import result, versioned
from evals.spending import counting
from evals.stuffed import stuffed
from evals.suite import Options, Result
from graph.support import Support, config_of, open_support
from nodes.passages import passages_in
from nodes.state import Context, Decision
from store.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "answers.jsonl"
ABOUT = (
    "whole turns, fixed, agentic and routed: faithful, complete, honest about what is missing, and their cost"
)
POLICIES = ("fixed", "agentic", "routed")
BOUNDS = {
    "routed.complete_of_retrieved": (">=", 0.9),
    "routed.completeness_minus_agentic": (">=", 0.0),
    "routed.refusal_wrong": ("<=", 0.05),
    "routed.unsupported_on_unanswerable": ("<=", 0.0),
    "routed.calls_to_fixed_answerable": ("<=", 1.3),
    "routed.calls_to_fixed": ("<=", 1.6),
}
HOW = (
    "fixed answers from whatever one retrieval finds, however unsure; agentic lets the model search in every turn.",
    "routed is the product. stuffed has the whole help centre in a cached prefix: tokens and cost only.",
    "complete: all must_contain strings of the question stand in the answer.",
    "refused: nothing of the answer is supported.",
)


async def measure(options: Options) -> Result:
    """Run the suite on the corpus that a run names."""
    data = options.data or DATA
    corpus = load_corpus(options.corpus, data)
    async with (
        open_support(options.settings) as support,
        ingested(support.resources.knowledge, corpus) as collection,
    ):
        runner = Runner(support, collection.name)
        cases = [(policy, asked) for asked in options.some(corpus.questions) for policy in POLICIES]
        rows = [await runner.row(policy, asked) for policy, asked in options.track(cases)]
    fixed = [row for row in rows if row["policy"] == "fixed"]
    return result(
        "answers",
        n=len(rows) // len(POLICIES),
        dataset=versioned(data),
        metrics=figures(rows) | stuffed([*corpus.bodies.values()], fixed),
        bounds=BOUNDS,
        baselines={policy: _values(rows, policy) for policy in POLICIES[:-1]},
        rows=rows,
        model=options.settings.chat_model,
        embedding=support.resources.knowledge.embedder.name,
        how=HOW,
        plots=_plots(figures(rows)),
    )


def _plots(found: Mapping[str, Metric]) -> list[plots.Plot]:
    titles = {
        "completeness": "Answers that hold every required fact",
        "refusal_right": "Questions without an answer that got none",
        "model_calls": "Model calls of a turn",
        "tokens": "Tokens of a turn",
    }
    return [
        plots.bars(
            title,
            {p: found[f"{p}.{name}"]["value"] for p in POLICIES if f"{p}.{name}" in found},
            ours="routed",
        )
        for name, title in titles.items()
    ]


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
    """Have every turn inside answered by a policy, whatever the rules of routing would say."""
    decide = nodes.routing.decide

    def agentic(message: str, has_history: bool = False) -> Decision:
        decision = decide(message, has_history)
        if decision["route"] == "direct":
            return decision
        return Decision(route="agentic", reason="always", question=message, confidence=None, answerable=True)

    def fixed(message: str, has_history: bool = False) -> Decision:
        decision = decide(message, has_history)
        if decision["route"] == "direct":
            return decision
        return Decision(route="fixed", reason="always", question=message, confidence=None, answerable=True)

    by = {"agentic": agentic, "fixed": fixed}.get(policy)
    sure = patch.object(nodes.retrieve, "ANSWERABLE", 0.0) if policy == "fixed" else nullcontext()
    with sure, patch.object(nodes.routing, "decide", by or decide):
        yield


def _failed(kind: str, graded: Graded) -> bool:
    if kind == "unanswerable":
        return not graded["refused"]
    return kind in ANSWERABLE and not graded["complete"]


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return the figures of every policy as ``routed.completeness``, and what routing costs beside fixed.

    Args:
        rows: graded turns, the same questions under every policy.
    """
    found = {
        f"{policy}.{name}": one
        for policy in dict.fromkeys(row["policy"] for row in rows)
        for name, one in _of_policy([row for row in rows if row["policy"] == policy]).items()
    }
    for name, kinds in (("calls_to_fixed_answerable", ANSWERABLE), ("calls_to_fixed", None)):
        mine, fixed = (
            [
                r["model_calls"]
                for r in rows
                if r["policy"] == policy and (kinds is None or r["kind"] in kinds)
            ]
            for policy in ("routed", "fixed")
        )
        if mine and sum(fixed):
            found[f"routed.{name}"] = metric(sum(mine) / sum(fixed), len(mine))
    if {"routed.completeness", "agentic.completeness"} <= found.keys():
        one, other = found["routed.completeness"], found["agentic.completeness"]
        found["routed.completeness_minus_agentic"] = metric(one["value"] - other["value"], one["n"])
    return found


def _of_policy(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    asked = [row for row in rows if row["kind"] in ANSWERABLE]
    with_facts = [row for row in asked if row["facts_retrieved"]]
    unanswerable = [row for row in rows if row["kind"] == "unanswerable"]
    sentences = [yes for row in rows for yes in row["sentences"]]
    flags = {
        "faithfulness": sentences,
        "completeness": [row["complete"] for row in asked],
        "complete_of_retrieved": [row["complete"] for row in with_facts],
        "citation_validity": [yes for row in rows for yes in row["citations"]],
        "refusal_right": [row["refused"] for row in unanswerable],
        "refusal_wrong": [row["refused"] for row in asked],
    }
    found = {name: share(each) for name, each in flags.items() if each}
    if unanswerable:
        unsupported = sum(not yes for row in unanswerable for yes in row["sentences"])
        found["unsupported_on_unanswerable"] = metric(unsupported, len(unanswerable))
    for name in ("model_calls", "tokens", "density_used"):
        found[name] = metric(mean(row[name] for row in rows), len(rows))
    found["latency_p50_ms"] = metric(percentile([row["latency_ms"] for row in rows], 0.5), len(rows))
    return found


def _values(rows: Sequence[Mapping[str, Any]], policy: str) -> dict[str, float]:
    """Return a policy's figures under the names of the product's, beside which they stand."""
    mine = _of_policy([row for row in rows if row["policy"] == policy])
    return {f"routed.{name}": one["value"] for name, one in mine.items()}
