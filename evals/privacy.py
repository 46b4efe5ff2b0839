"""The gate for private values on labelled messages, beside plain runs of digits."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals import jsonl
from evals.intervals import Metric, share
from evals.results import result, versioned
from evals.suite import Options, Result
from store.privacy import redact_all

DATA = Path(__file__).parent / "data" / "memory" / "privacy.jsonl"
ABOUT = "the gate for private values in 75 formats and look-alikes, beside long runs of digits"
BOUNDS = {"recall": (">=", 0.99), "false_positive_rate": ("<=", 0.01)}
FORM = {"id": str, "text": str | list, "private": bool}
_DIGITS = re.compile(r"\d{11,}|\d{17}[\dXx]")

Row = Mapping[str, Any]


async def measure(options: Options) -> Result:
    """Run the gate over the messages: the test half, or a user's own."""
    data = options.data or DATA
    rows = list(options.some(jsonl.rows(data, "test", FORM)))
    found = [any(one.kinds for one in redact_all(_texts(row))) for row in options.track(rows)]
    digits = [any(_DIGITS.search(text) for text in _texts(row)) for row in rows]
    return result(
        "privacy",
        n=len(rows),
        dataset=versioned(data),
        model="none: the gate is code",
        metrics=figures(rows, found),
        bounds=BOUNDS,
        baselines={"runs of digits": {name: one["value"] for name, one in figures(rows, digits).items()}},
        rows=[
            {"id": row["id"], "private": row["private"], "got": got, "kind": row.get("kind", "")}
            | ({"failed": True} if got is not row["private"] else {})
            for row, got in zip(rows, found, strict=True)
        ],
        how=["A format belongs to one half of the data; the gate was written against the other half."],
    )


def figures(rows: Sequence[Row], found: Sequence[bool]) -> dict[str, Metric]:
    """Return `recall`, the share of private messages that are found, and `false_positive_rate`, that of the others."""
    private = [got for row, got in zip(rows, found, strict=True) if row["private"]]
    others = [got for row, got in zip(rows, found, strict=True) if not row["private"]]
    parts = {"recall": private, "false_positive_rate": others}
    return {name: share(flags) for name, flags in parts.items() if flags}


def _texts(row: Row) -> list[str]:
    return [row["text"]] if isinstance(row["text"], str) else list(row["text"])
