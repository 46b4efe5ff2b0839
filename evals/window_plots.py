"""What is drawn of a dialogue's calls: cost over them, the zones of each window, and how full it is."""

from collections.abc import Mapping
from itertools import accumulate

from evals.figures import costs
from evals.plots import Plot, bars, lines, stack
from evals.policies import Run


def window_plots(runs: Mapping[str, Run], ours: str, limit: int) -> list[Plot]:
    """Return the plots of one dialogue.

    Args:
        runs: policy or library → its calls; ``none`` is no management.
        ours: the policy whose windows are looked into.
        limit: the budget.
    """
    spent = {name: list(accumulate(costs(run.requests, 0.1))) for name, run in runs.items()}
    curves = {name: spent[name] for name in ("none", ours, *_cheapest(spent, ours))}
    zones = runs[ours].zones
    sizes = {name: [request.size for request in runs[name].requests] for name in ("none", ours)}
    return [
        lines(
            "Input tokens paid for so far, a cached one at 0.1",
            {name: _numbered(each, 1_000) for name, each in curves.items()},
            x="model call",
            y="thousand tokens",
        ),
        bars(
            "The same at the end of the dialogue",
            {name: each[-1] / 1_000 for name, each in sorted(spent.items(), key=lambda item: item[1][-1])},
            ours=ours,
            unit="k",
        ),
        stack(
            f"The zones of each window: {ours}",
            {name: [each[name] for each in zones] for name in zones[0]},
            x="model call",
            y="tokens",
        ),
        lines(
            "Watermark: tokens of a call by the budget",
            {name: _numbered(each, limit) for name, each in sizes.items()},
            x="model call",
            y="share of the budget",
        ),
    ]


def _cheapest(spent: Mapping[str, list[float]], ours: str, most: int = 3) -> list[str]:
    """Return the libraries that end cheapest; our own lesser policies are in the bars."""
    others = [name for name in spent if name not in ("none", ours) and "clear" not in name.split(" ")]
    return sorted(others, key=lambda name: spent[name][-1])[:most]


def _numbered(values: list[float] | list[int], unit: int) -> list[tuple[float, float]]:
    return [(place, value / unit) for place, value in enumerate(values, start=1)]
