"""The suite `answers`: whole turns under several policies, and what their answers are worth and cost."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from evals import plots
from evals.corpora import ANSWERABLE, ingested, load_corpus
from evals.intervals import Metric, metric, percentile, share
from evals.results import result, versioned
from evals.stuffed import stuffed
from evals.suite import Options, Result
from evals.turns import POLICIES, Runner, calls_to_fixed
from graph.support import open_support
from store.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "answers.jsonl"
ABOUT = (
    "whole turns, fixed, agentic and routed: faithful, complete, honest about what is missing, and their cost"
)
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
    found |= {f"routed.{name}": one for name, one in calls_to_fixed(rows).items()}
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
