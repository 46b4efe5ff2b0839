"""The form of a suite's result, the same for every suite."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals.suite import Bounds, Result


def result(
    suite: str,
    *,
    n: int,
    dataset: str,
    metrics: dict[str, dict[str, Any]],
    bounds: Bounds,
    baselines: Mapping[str, Mapping[str, float]],
    rows: Sequence[Mapping[str, Any]],
    model: str = "none: answers are fed by script",
    embedding: str = "none",
    **more: Any,
) -> Result:
    """Return a suite's result, with the bounds that it states and those that it broke.

    Args:
        suite: its name.
        n: cases.
        dataset: the data set with its version, as by `versioned`.
        metrics: each as made in `evals.intervals`.
        bounds: those of the suite that hold for this data.
        baselines: name → metric → value, on the same data in the same process.
        rows: one a case: ``id``, what was got, and where it fails ``failed: True``, so that a difference can be
            traced.
        model: the chat model.
        embedding: the embedding model.
        **more: anything else that a reader needs; ``how``: a list of sentences on what is done with the data, ``plots``: as
            made in `evals.plots`.
    """
    return {
        "suite": suite,
        "n": n,
        "model": model,
        "embedding": embedding,
        "dataset": dataset,
        "revision": revision(),
        "metrics": metrics,
        **stated(metrics, bounds),
        "baselines": baselines,
        "rows": list(rows),
        **more,
    }


def shown_first(found: Mapping[str, Any]) -> list[str]:
    """Return the metrics that a reader wants first: those with a bound, a baseline or an interval; else all."""
    beside = {metric for values in found["baselines"].values() for metric in values} | set(
        found.get("bounds", {})
    )
    metrics = found["metrics"]
    return [name for name, each in metrics.items() if name in beside or each["low"] is not None] or list(
        metrics
    )


def stated(metrics: Mapping[str, Mapping[str, Any]], bounds: Bounds) -> dict[str, Any]:
    """Return the part of a result that says what was promised, and what of it is broken."""
    texts = {name: f"{sign} {value}" for name, (sign, value) in bounds.items()}
    return {"bounds": texts, "broken": broken(metrics, bounds)}


def broken(metrics: Mapping[str, Mapping[str, Any]], bounds: Bounds) -> list[str]:
    """Return the bounds that the metrics break, each with its value."""
    return [
        f"{name} = {metrics[name]['value']}, bound {sign} {bound}"
        for name, (sign, bound) in bounds.items()
        if name in metrics
        and not (metrics[name]["value"] <= bound if sign == "<=" else metrics[name]["value"] >= bound)
    ]


def versioned(*files: Path) -> str:
    """Return how data sets are named in a result: file names, each with the hash of its content."""
    return ", ".join(f"{file.name}@{sha256(file.read_bytes()).hexdigest()[:8]}" for file in files)


def revision() -> str:
    """Return the git revision of the checkout, with a mark where it was changed; empty outside one and without git."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    with suppress(OSError):
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)  # noqa: S603  # a fixed command
        return done.stdout.strip()
    return ""


def machine() -> str:
    """Return what a run's times were taken on."""
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
