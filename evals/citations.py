"""The check of citations on labelled pairs of sentence and passage: wrong ones caught, right ones rejected."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals import jsonl
from evals.intervals import Metric, share
from evals.plots import matrix
from evals.results import result, versioned
from evals.suite import Options, Result
from nodes.citations import Similarity, supports
from nodes.citations.embedded import by_embedding
from nodes.words import features
from store.embedding import Embedder, open_embedder

DATASET = Path(__file__).parent / "data" / "citations.jsonl"
ABOUT = "the check of citations on labelled pairs of sentence and passage, beside string overlap"
BOUNDS = {"wrong_caught": (">=", 0.95), "right_rejected": ("<=", 0.05)}
FORM = {"id": str, "sentence": str, "passage": str, "supported": bool, "kind": str, "lang": str}
FLOORS = {"wrong_caught": (">=", 0.86), "right_rejected": ("<=", 0.14)}
_OVERLAP = 0.45

Pair = Mapping[str, Any]


async def measure(options: Options) -> Result:
    """Run the suite on the labelled pairs, or those that a run names."""
    return await citations(open_embedder(options.settings), data=options.data or DATASET)


async def citations(embedder: Embedder, *, split: str = "test", data: Path = DATASET) -> Result:
    """Run the check over one half of the pairs.

    Args:
        embedder: compares meanings.
        split: `dev`, by which the check was written, or `test`; pairs without a split are all taken.
        data: the pairs, in JSON Lines.
    """
    pairs = jsonl.rows(data, split, FORM)

    def check(similarity: Similarity | None) -> list[dict[str, Any]]:
        return [_row(pair, similarity) for pair in pairs]

    rows = await by_embedding(check, embedder)
    return result(
        "citations",
        n=len(pairs),
        dataset=f"{versioned(data)}, {split}",
        model="none: the check is code",
        embedding=embedder.name,
        metrics=figures(pairs, [row["accepted"] for row in rows]) | _parts(pairs, rows),
        bounds=BOUNDS,
        baselines={
            "string overlap": _values(pairs, by_overlap),
            "without meaning": _values(pairs, lambda pair: bool(_row(pair, None)["accepted"])),
        },
        rows=rows,
        plots=[
            matrix(
                "What became of right and wrong pairs",
                [(_word(row["supported"]), _word(row["accepted"])) for row in rows],
                rows="the pair is",
                columns="taken as",
            )
        ],
    )


def _word(supported: object) -> str:
    return "supported" if supported else "not supported"


def figures(pairs: Sequence[Pair], accepted: Sequence[bool]) -> dict[str, Metric]:
    """Return `wrong_caught`, the share of wrong pairs that are not accepted, and `right_rejected`, that of right ones.

    Args:
        pairs: labelled by `supported`.
        accepted: what a check made of each.
    """
    found = {}
    for name, label in (("wrong_caught", False), ("right_rejected", True)):
        refused = [not yes for pair, yes in zip(pairs, accepted, strict=True) if pair["supported"] is label]
        if refused:
            found[name] = share(refused)
    return found


def by_overlap(pair: Pair) -> bool:
    """Tell whether enough of a sentence's words occur in the passage, the baseline."""
    said = features(pair["sentence"])
    return len(said & features(pair["passage"])) >= _OVERLAP * len(said)


def _row(pair: Pair, similarity: Similarity | None) -> dict[str, Any]:
    verdict = supports(pair["sentence"], pair["passage"], similarity=similarity)
    return {
        "id": pair["id"],
        "sentence": pair["sentence"],
        "passage": pair["passage"],
        "supported": pair["supported"],
        "accepted": verdict.supported,
        "reason": verdict.reason,
        "detail": verdict.detail,
        "failed": verdict.supported is not pair["supported"],
    }


def _parts(pairs: Sequence[Pair], rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return the figures of each kind and language, as `plan_swapped.wrong_caught`."""
    found: dict[str, Metric] = {}
    for part in ("kind", "lang"):
        for value in sorted({pair[part] for pair in pairs}):
            some = [(p, bool(r["accepted"])) for p, r in zip(pairs, rows, strict=True) if p[part] == value]
            own = figures([pair for pair, _ in some], [accepted for _, accepted in some])
            found |= {f"{value}.{name}": one for name, one in own.items()}
    return found


def _values(pairs: Sequence[Pair], check: Callable[[Pair], bool]) -> dict[str, float]:
    return {name: one["value"] for name, one in figures(pairs, [check(pair) for pair in pairs]).items()}
