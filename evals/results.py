"""The form of a suite's result, the same for every suite of the window."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Bounds = Mapping[str, tuple[str, float]]


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
) -> dict[str, Any]:
    """Return a suite's result, with the bounds that it states and those that it broke."""
    return {
        "suite": suite,
        "n": n,
        "model": model,
        "embedding": embedding,
        "dataset": dataset,
        "revision": revision(),
        "metrics": metrics,
        "bounds": {name: f"{sign} {value}" for name, (sign, value) in bounds.items()},
        "broken": broken(metrics, bounds),
        "baselines": baselines,
        "rows": list(rows),
        **more,
    }


def broken(metrics: Mapping[str, Mapping[str, Any]], bounds: Bounds) -> list[str]:
    """Return the bounds that the metrics break, each with its value."""
    return [
        f"{name} = {metrics[name]['value']}, bound {sign} {bound}"
        for name, (sign, bound) in bounds.items()
        if name in metrics
        and not (metrics[name]["value"] <= bound if sign == "<=" else metrics[name]["value"] >= bound)
    ]


def revision() -> str:
    """Return the git revision of the checkout, empty outside one."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)  # noqa: S603  # a fixed command
    return done.stdout.strip()
