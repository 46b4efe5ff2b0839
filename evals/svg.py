"""Draws plots as SVG whose colours come from the page, so that one drawing serves both themes.

Written out here rather than by a plotting library: five simple forms, text that stays text, no styles of its own
to override for a dark page, and nothing to install.
"""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import floor, log10
from typing import Any

WIDTH, HEIGHT = 380, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 10, 40
_ROW = 32
Scale = Callable[[float], float]


def draw(plot: Mapping[str, Any]) -> str:
    """Return a plot as a figure with its title and, where it has several series, a legend."""
    drawn = {"lines": _lines, "stack": _stack, "bars": _bars, "matrix": _matrix}[plot["kind"]](plot)
    names = list(plot["series"]) if plot["kind"] in ("lines", "stack") else []
    keys = "".join(f'<li class="c{place % 8}">{escape(name)}</li>' for place, name in enumerate(names))
    legend = f'<ul class="legend">{keys}</ul>' if len(names) > 1 else ""
    return f"<figure><figcaption>{escape(plot['title'])}</figcaption>{drawn}{legend}</figure>"


def interval(metric: Mapping[str, Any], others: Mapping[str, float]) -> str:
    """Return a rate from 0 to 1 as a dot on its interval, with its baselines as marks; empty for other figures."""
    if metric["low"] is None or not 0 <= metric["value"] <= metric["high"] <= 1:
        return ""
    low, high, value = (4 + 112 * metric[name] for name in ("low", "high", "value"))
    marks = "".join(
        f'<line class="other" x1="{4 + 112 * v:.1f}" x2="{4 + 112 * v:.1f}" y1="2" y2="14"><title>{escape(n)}: {v}</title></line>'
        for n, v in others.items()
        if 0 <= v <= 1
    )
    return (
        '<svg class="interval" viewBox="0 0 120 16" role="img" aria-label="interval">'
        '<line class="axis" x1="4" x2="116" y1="8" y2="8"/>'
        f'<line class="range" x1="{low:.1f}" x2="{high:.1f}" y1="8" y2="8"/>{marks}'
        f'<circle cx="{value:.1f}" cy="8" r="3.5"/></svg>'
    )


def number(value: float) -> str:
    """Return a number in at most four significant digits, thousands apart."""
    if value == 0:
        return "0"
    digits = max(0, 3 - floor(log10(abs(value))))
    text = f"{value:,.{min(digits, 4)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two."""
    span = (high - low) or 1.0
    step = 10 ** floor(log10(span / 4))
    step *= next((factor for factor in (1, 2, 5) if span / (step * factor) <= 5), 10)  # noqa: PLR2004  # ticks
    first = -(-low // step)
    return [
        round((first + place) * step, 10) for place in range(int((high - first * step) / step + 1e-9) + 1)
    ]


def _lines(plot: Mapping[str, Any]) -> str:
    points = [point for each in plot["series"].values() for point in each]
    frame, x, y = _frame(plot, [p[0] for p in points], [p[1] for p in points], log=plot["log"])
    parts = [frame]
    if plot["ideal"]:
        parts.append(f'<line class="ideal" x1="{x(0):.1f}" y1="{y(0):.1f}" x2="{x(1):.1f}" y2="{y(1):.1f}"/>')
    for place, (name, each) in enumerate(plot["series"].items()):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in each)
        parts.append(
            f'<polyline class="c{place % 8}" points="{path}"><title>{escape(name)}</title></polyline>'
        )
        if len(each) <= 12:  # noqa: PLR2004  # more would run together
            parts += [f'<circle class="c{place % 8}" cx="{x(a):.1f}" cy="{y(b):.1f}" r="3"><title>{escape(name)}: {number(a)}, {number(b)}</title></circle>' for a, b in each]  # fmt: skip
    return _svg(HEIGHT, "".join(parts))


def _stack(plot: Mapping[str, Any]) -> str:
    layers = list(plot["series"].values())
    count = len(layers[0])
    sums = [[sum(layer[place] for layer in layers[:upto]) for place in range(count)] for upto in range(len(layers) + 1)]  # fmt: skip
    frame, x, y = _frame(plot, [1, count], [0, max(sums[-1])])
    parts = [frame]
    for number_, (name, low, high) in enumerate(zip(plot["series"], sums, sums[1:], strict=False)):
        up = [f"{x(place + 1):.1f},{y(value):.1f}" for place, value in enumerate(high)]
        down = [f"{x(place + 1):.1f},{y(value):.1f}" for place, value in enumerate(low)]
        path = " ".join([*up, *reversed(down)])
        parts.append(
            f'<polygon class="c{number_ % 8}" points="{path}"><title>{escape(name)}</title></polygon>'
        )
    return _svg(HEIGHT, "".join(parts))


def _bars(plot: Mapping[str, Any]) -> str:
    most = max([*plot["series"].values(), 0]) or 1
    room = WIDTH - 70
    parts = []
    for place, (name, value) in enumerate(plot["series"].items()):
        y, long = place * _ROW, max(0.0, value) / most * room
        parts.append(
            f'<text x="0" y="{y + 11}">{escape(_short(name, 60))}</text>'
            f'<rect class="c{int(name != plot["ours"])}" x="0" y="{y + 15}" width="{long:.1f}" height="10"/>'
            f'<text x="{long + 4:.1f}" y="{y + 24}">{number(value)} {escape(plot["unit"])}</text>'
        )
    return _svg(len(plot["series"]) * _ROW + 4, "".join(parts))


def _matrix(plot: Mapping[str, Any]) -> str:
    names, cells = plot["names"], plot["cells"]
    size = min(110, (WIDTH - 110) // max(1, len(names)))
    parts = [f'<text class="axis-name" x="110" y="12">{escape(plot["columns"])} →</text>']
    parts.append(f'<text class="axis-name" x="104" y="30" text-anchor="end">{escape(plot["rows"])} ↓</text>')
    for row, label in enumerate(names):
        parts.append(f'<text x="{110 + row * size + size / 2}" y="30" text-anchor="middle">{escape(_short(label, size // 6))}</text>')  # fmt: skip
        y, total = 36 + row * 34, sum(cells[row]) or 1
        parts.append(f'<text x="104" y="{y + 21}" text-anchor="end">{escape(_short(label, 16))}</text>')
        for column, count in enumerate(cells[row]):
            kind = "right" if row == column else "wrong"
            x = 110 + column * size
            parts.append(
                f'<rect class="{kind}" x="{x}" y="{y}" width="{size - 2}" height="32" fill-opacity="{count / total:.2f}"/>'
                f'<text x="{x + size / 2}" y="{y + 21}" text-anchor="middle">{count}</text>'
            )
    return _svg(42 + len(names) * 34, "".join(parts))


def _frame(
    plot: Mapping[str, Any], xs: Sequence[float], ys: Sequence[float], *, log: bool = False
) -> tuple[str, Scale, Scale]:
    """Return axes with their ticks, and the scales from values to places in the drawing."""
    left, right, top, bottom = _LEFT, WIDTH - _RIGHT, _TOP, HEIGHT - _BOTTOM
    if log:
        x, x_ticks = _log_scale(xs, left, right)
        y, y_ticks = _log_scale(ys, bottom, top)
    else:
        x, x_ticks = _scale(min(xs), max(xs), left, right)
        y, y_ticks = _scale(min(0, *ys), max(ys), bottom, top)
    parts = [f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>']
    parts += [
        f'<text x="{x(value):.1f}" y="{bottom + 15}" text-anchor="middle">{number(value)}</text>'
        for value in x_ticks
    ]
    for value in y_ticks:
        at = y(value)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="{left - 5}" y="{at + 4:.1f}" text-anchor="end">{number(value)}</text>')
    parts.append(f'<text class="axis-name" x="{(left + right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(plot["x"])}</text>')  # fmt: skip
    middle = (top + bottom) / 2
    parts.append(f'<text class="axis-name" transform="translate(11 {middle}) rotate(-90)" text-anchor="middle">{escape(plot["y"])}</text>')  # fmt: skip
    return "".join(parts), x, y


def _scale(low: float, high: float, start: float, end: float) -> tuple[Scale, list[float]]:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start), ticks(low, high)


def _log_scale(values: Sequence[float], start: float, end: float) -> tuple[Scale, list[float]]:
    low, high = log10(min(values)), log10(max(values))
    span = (high - low) or 1.0
    tens = [10.0**power for power in range(floor(low), floor(high) + 1) if power >= low - 1e-9]
    return lambda value: start + (log10(value) - low) / span * (end - start), tens or [min(values)]


def _svg(height: float, inner: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{inner}</svg>'


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: max(1, most - 1)]}…"
