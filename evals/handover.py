"""The suite `handover`: who is passed to a person by whole turns, and whether gaps of one meaning are one group."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any
from uuid import uuid4

import numpy as np

from evals import jsonl
from evals.corpora import Corpus, articles, ingested
from evals.intervals import Metric, share
from evals.plots import matrix
from evals.results import result, versioned
from evals.suite import Options, Result
from graph.support import Support, open_support
from nodes.state import Context
from store.embedding import Embedder
from store.erasure import forget
from store.gaps import nearest_groups
from store.settings import PROJECT
from store.threads import Owner

DATA = PROJECT / "evals" / "data" / "handover.jsonl"
GAPS = PROJECT / "evals" / "data" / "gaps.jsonl"
ABOUT = "who is passed to a person: precision and recall of hand-overs, beside a keyword; grouping of gaps"
BOUNDS = {"precision": (">=", 0.9), "recall": (">=", 0.9)}
HOW = (
    "A hand-over is a ticket that the turn opened; the turns of `history` are led first, by the product itself.",
    "precision: of the hand-overs, those that were wished for; recall: of the wishes, those that led to one.",
    "gaps: of two questions in one group, those that mean the same; of those that mean the same, in one group.",
)
FORM = {"id": str, "message": str, "person": bool, "history?": [str]}
_USER = Owner("evals", "evals")
_KEYWORD = re.compile(
    r"人工|真人|活人|客服|经理|\b(?:human|agent|person|people|someone|manager|representative)\b",
    re.IGNORECASE,
)


async def measure(options: Options) -> Result:
    """Run the suite on the messages of a run, else on the half that the rule was not written by."""
    data = options.data or DATA
    cases = jsonl.rows(data, "test", FORM)
    corpus = Corpus(options.corpus, articles(options.corpus), [])
    async with (
        open_support(options.settings) as support,
        ingested(support.resources.knowledge, corpus) as collection,
    ):
        try:
            rows = [await _row(support, collection.name, case) for case in options.track(options.some(cases))]
        finally:
            await forget(support.resources.memories, _USER, threads=True)
        embedder = support.resources.knowledge.embedder
        grouped = await grouping(jsonl.rows(GAPS, "test"), embedder)
    return result(
        "handover",
        n=len(rows),
        dataset=versioned(data, GAPS),
        metrics=figures(rows, "got") | grouped,
        bounds=BOUNDS,
        baselines={
            "keyword": {name: one["value"] for name, one in figures(rows, "keyword").items()},
        },
        rows=rows,
        model=options.settings.chat_model,
        embedding=embedder.name,
        how=HOW,
        plots=[
            matrix(
                "Who was passed to a person",
                [(_word(row["person"]), _word(row["got"])) for row in rows],
                rows="wished for",
                columns="got",
            )
        ],
    )


def _word(person: object) -> str:
    return "a person" if person else "the assistant"


def figures(rows: Sequence[Mapping[str, Any]], got: str) -> dict[str, Metric]:
    """Return precision and recall of what stands under a name; a figure without a case is left out.

    Args:
        rows: each with ``person``, whether a person was wished for.
        got: name of what a policy did.
    """
    of = {
        "precision": [bool(row["person"]) for row in rows if row[got]],
        "recall": [bool(row[got]) for row in rows if row["person"]],
    }
    return {name: share(flags) for name, flags in of.items() if flags}


async def grouping(questions: Sequence[Mapping[str, str]], embedder: Embedder) -> dict[str, Metric]:
    """Return how far pairs of questions in one group mean the same, and the other way round."""
    vectors = await embedder.embed_documents([one["question"] for one in questions])
    groups = nearest_groups(np.asarray(vectors))
    group_of = {place: number for number, group in enumerate(groups) for place in group}
    pairs = [
        (questions[one]["group"] == questions[other]["group"], group_of[one] == group_of[other])
        for one, other in combinations(range(len(questions)), 2)
    ]
    return {
        "gaps.pair_precision": share([same for same, together in pairs if together]),
        "gaps.pair_recall": share([together for same, together in pairs if same]),
    }


async def _row(support: Support, collection: str, case: Mapping[str, Any]) -> dict[str, Any]:
    context, thread = Context(_USER.user_id, _USER.tenant, collection=collection), str(uuid4())
    for said in case.get("history") or ():
        await support.ask(said, thread=thread, context=context)
    reply = await support.ask(case["message"], thread=thread, context=context)
    got = reply.ticket is not None
    return {
        "id": case["id"],
        "message": case["message"],
        "person": case["person"],
        "got": got,
        "keyword": bool(_KEYWORD.search(case["message"])),
        "failed": got is not case["person"],
    }
