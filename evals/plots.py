"""What a suite has drawn beside its table: plain data that goes into its result, drawn by ``evals.svg``."""

from collections.abc import Mapping, Sequence
from typing import Any

Plot = dict[str, Any]
"""``kind``, ``title``, the axes' names and the points; JSON, so that a page can be made from a stored result."""
Points = Sequence[tuple[float, float]]


def lines(
    title: str, series: Mapping[str, Points], *, x: str, y: str, log: bool = False, ideal: bool = False
) -> Plot:
    """Return curves over a common axis.

    Args:
        title: what is to be seen.
        series: name → points in ascending order of x.
        x: the axis's name and unit.
        y: likewise.
        log: whether both axes are logarithmic, for scales; all points must then be above 0.
        ideal: whether the diagonal is drawn, for calibration.
    """
    points = {name: [list(point) for point in each] for name, each in series.items()}
    return {"kind": "lines", "title": title, "x": x, "y": y, "log": log, "ideal": ideal, "series": points}


def stack(title: str, series: Mapping[str, Sequence[float]], *, x: str, y: str) -> Plot:
    """Return layers that add up, one value a place: the zones of a window over its calls.

    Args:
        title: what is to be seen.
        series: name → values at the places 1, 2, …; the first lies at the bottom.
        x: what a place is.
        y: the unit of the values.
    """
    layers = {name: list(each) for name, each in series.items()}
    return {"kind": "stack", "title": title, "x": x, "y": y, "series": layers}


def bars(title: str, values: Mapping[str, float], *, ours: str = "", unit: str = "") -> Plot:
    """Return one bar a name, from 0: a figure beside its baselines, with our own set off."""
    return {"kind": "bars", "title": title, "ours": ours, "unit": unit, "series": dict(values)}


def matrix(title: str, pairs: Sequence[tuple[str, str]], *, rows: str, columns: str) -> Plot:
    """Return how often each label got each answer.

    Args:
        title: what is to be seen.
        pairs: (label, what was got), one a case.
        rows: what the labels are.
        columns: what the answers are.
    """
    names = sorted({name for pair in pairs for name in pair})
    cells = [[sum(pair == (label, got) for pair in pairs) for got in names] for label in names]
    return {
        "kind": "matrix",
        "title": title,
        "rows": rows,
        "columns": columns,
        "names": names,
        "cells": cells,
    }
