"""How a new memory stands to an old one: labelled pairs, beside the best split by similarity alone."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from evals.intervals import Metric, metric, share
from evals.judge_fit import DATA, UNRELATED, Pair, cross_validated, load, similarities, unrelated
from evals.plots import matrix
from evals.results import result, versioned
from evals.suite import Options, Result
from nodes.memory.features import compare
from nodes.memory.judge import RELATIONS, Relation, Similarity, judge_difference
from store.embedding import BundledEmbedder

ABOUT = "how a new memory stands to an old one, beside thresholds of similarity"
BOUNDS = {
    "accuracy": (">=", 0.9),
    "merged_unrelated": ("<=", 0.0),
    "overwritten_contradictions": ("<=", 0.02),
}
_OTHERS = 1_000
_ALIKE = 0.6


async def measure(options: Options) -> Result:
    """Judge the pairs: those of the repository by weights fitted without them, a user's own as the product does."""
    embedder = BundledEmbedder()
    pairs = list(options.some(load(options.data or DATA)))
    said = await similarities(pairs, embedder)
    others = unrelated(load(), UNRELATED)
    said_of_others = await similarities(others, embedder)
    if options.data:
        verdicts = [
            judge_difference(compare(p["old"], p["new"]), s) for p, s in zip(pairs, said, strict=True)
        ]
    else:
        verdicts = cross_validated(pairs, said, others, said_of_others)
    got: list[Relation] = [verdict.relation for verdict in verdicts]
    merged = await _merged(embedder)
    return result(
        "judge",
        n=len(pairs),
        dataset=versioned(options.data or DATA),
        model="none: the judge is code",
        embedding=embedder.name,
        metrics=figures(pairs, got) | {"merged_unrelated": merged},
        bounds=BOUNDS,
        baselines={"similarity thresholds": _thresholds(pairs, said)},
        rows=[
            {"id": p.get("id", n), "old": p["old"], "new": p["new"], "relation": p["relation"], "got": g}
            | ({"failed": True} if g != p["relation"] else {})
            for n, (p, g) in enumerate(zip(pairs, got, strict=True))
        ],
        plots=[
            matrix(
                "How a new memory stands to an old one",
                [(pair["relation"], one) for pair, one in zip(pairs, got, strict=True)],
                rows="labelled",
                columns="judged",
            )
        ],
        how=[
            "The pairs of the repository are judged by weights fitted without them, in ten parts.",
            "Pairs of your own are judged by the weights of the product.",
            f"merged_unrelated: duplicates and updates among {_OTHERS} random pairs of memories of two rows.",
            f"Pairs that are alike by chance (cosine or shared words from {_ALIKE}) are no part of those.",
        ],
    )


def figures(pairs: Sequence[Pair], got: Sequence[str]) -> dict[str, Metric]:
    """Return `accuracy`, the F1 of each relation, and the share of contradictions that count as an update."""
    wanted = [pair["relation"] for pair in pairs]
    found = {"accuracy": share([w == g for w, g in zip(wanted, got, strict=True)])}
    for relation in RELATIONS:
        both = sum(w == g == relation for w, g in zip(wanted, got, strict=True))
        named = wanted.count(relation) + list(got).count(relation)
        found[f"f1.{relation}"] = metric(2 * both / named if named else 0.0, wanted.count(relation))
    denied = [g == "update" for w, g in zip(wanted, got, strict=True) if w == "contradiction"]
    return found | ({"overwritten_contradictions": share(denied)} if denied else {})


async def _merged(embedder: BundledEmbedder) -> Metric:
    pairs = unrelated(load(), 2 * _OTHERS, seed=99)
    said = await similarities(pairs, embedder)
    both = [(compare(p["old"], p["new"]), s) for p, s in zip(pairs, said, strict=True)]
    apart = [(d, s) for d, s in both if d.overlap < _ALIKE and s.whole < _ALIKE][:_OTHERS]
    return share([judge_difference(d, s).relation in {"duplicate", "update"} for d, s in apart])


def _thresholds(pairs: Sequence[Pair], said: Sequence[Similarity]) -> dict[str, float]:
    """Return the accuracy of the best three thresholds, chosen on these very pairs: more than could be had."""
    cosines = np.array([one.whole for one in said])
    wanted = np.array([RELATIONS.index(pair["relation"]) for pair in pairs])
    orders = [(0, 1, 2, 3), (1, 0, 2, 3), (1, 2, 0, 3), (0, 2, 1, 3), (2, 0, 1, 3), (2, 1, 0, 3)]
    best = 0.0
    for low, middle, high in combinations(np.quantile(cosines, np.linspace(0.02, 0.98, 25)), 3):
        place = 3 - np.searchsorted([low, middle, high], cosines)
        best = max(best, *(float((np.array(order)[place] == wanted).mean()) for order in orders))
    return {"accuracy": round(best, 4)}
