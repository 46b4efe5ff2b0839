"""A thread's calls as a picture: zones stacked call by call, the marks, cache hits and moves; a page of its own."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from nodes.window.summary import Record, Summary, cached_of, size_of

ZONES = {
    "fixed": "#5b6b7b",
    "user": "#b58bd0",
    "notes": "#e0a345",
    "hot": "#6fa8dc",
    "current": "#7cb87c",
}
_WIDTH, _HEIGHT, _LEFT, _TOP, _FOOT = 1_000, 320, 60, 26, 40
_REACH = 3
"""A mark that is so many times higher than the largest call is not drawn: the calls would be flat."""
_STYLE = """:root{color-scheme:light dark}body{font:14px system-ui;margin:1.5rem}table{border-collapse:collapse}
td,th{padding:.15rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid #8886}pre{white-space:pre-wrap}
.wide{overflow-x:auto}svg{min-width:700px;max-width:100%;height:auto}"""


def picture(records: Sequence[Record]) -> str:
    """Return an SVG of a thread's calls; the marks of the newest call's budget are drawn where they are in reach.

    Args:
        records: the calls, oldest first; at least one.
    """
    largest, newest = max(map(size_of, records)), records[-1]
    marks = {name: newest[name] for name in ("high", "limit") if newest[name] <= _REACH * largest}
    top = 1.1 * max(largest, *marks.values(), 1)
    step = min(60.0, _WIDTH / len(records))
    bars = "".join(_bar(record, _LEFT + n * step, step, top) for n, record in enumerate(records))
    points = " ".join(
        f"{_LEFT + (n + 0.5) * step:.1f},{_y(cached_of(record), top):.1f}" for n, record in enumerate(records)
    )
    cached = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-dasharray="2 2"/>'
    body = "".join([_axis(top), bars, cached, *_moves(records, step), *_marks(marks, top), _legend()])
    width, height = _LEFT + _WIDTH + 90, _TOP + _HEIGHT + _FOOT
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    text = 'fill="currentColor" font-family="system-ui" font-size="11"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {text} role="img">{body}</svg>'


def page(title: str, records: Sequence[Record], total: Summary, window: str) -> str:
    """Return a page that needs nothing beside itself: summary, picture, one row a call, and the system message.

    Args:
        title: what the calls are of.
        records: the calls, oldest first; at least one.
        total: their summary.
        window: what the newest window's system message says about what left it.
    """
    facts = "".join(
        f"<tr><th>{name}</th><td>{_short(value)}</td></tr>" for name, value in total.to_dict().items()
    )
    columns = [name for name in records[0] if name != "zones_actual"]
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_short(record[name]))}</td>" for name in columns) + "</tr>"
        for record in records
    )
    warning = f"<p><b>{escape(total.warning)}</b></p>" if total.warning else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<h1>{escape(title)}</h1>{warning}<div class="wide">{picture(records)}</div>'
        f"<h2>Summary</h2><table>{facts}</table>"
        f"<h2>Left the window</h2><pre>{escape(window) or 'nothing yet'}</pre>"
        f'<h2>Calls</h2><div class="wide"><table><tr>{head}</tr>{rows}</table></div></html>'
    )


def _bar(record: Record, x: float, step: float, top: float) -> str:
    zones = record["zones_actual"] or record["zones"]
    parts, base = [], 0.0
    for zone, colour in ZONES.items():
        height = zones.get(zone, 0) / top * _HEIGHT
        y = _TOP + _HEIGHT - base - height
        parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(1.0, step - 1):.1f}" height="{height:.1f}" fill="{colour}"/>'
        )
        base += height
    sizes = ", ".join(f"{zone} {zones.get(zone, 0)}" for zone in ZONES)
    note = f"T{record['turn']}: {size_of(record)} tokens, {cached_of(record)} cached; {sizes}"
    return f"<g><title>{escape(note)}</title>{''.join(parts)}</g>"


def _moves(records: Sequence[Record], step: float) -> Iterator[str]:
    """Draw a line where the plan moved or the prefix broke, with its cause."""
    for n, record in enumerate(records):
        if record["broke"] or (n and record["moves"] != records[n - 1]["moves"]):
            x = _LEFT + n * step
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_TOP + _HEIGHT}" stroke="#b00"/>'
            yield f'<text x="{x + 3:.1f}" y="{_TOP + 10}" fill="#b00">{escape(record["cause"] or "move")}</text>'


def _marks(marks: Mapping[str, int], top: float) -> Iterator[str]:
    for name, value in marks.items():
        y = _y(value, top)
        yield f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#888"/>'
        yield f'<text x="{_LEFT + _WIDTH + 4}" y="{y + 4:.1f}">{name} {value:,}</text>'


def _axis(top: float) -> str:
    ticks = [round(top * share / 4, -2) for share in range(5)]
    return "".join(f'<text x="4" y="{_y(tick, top) + 4:.1f}">{tick:,.0f}</text>' for tick in ticks)


def _legend() -> str:
    y = _TOP + _HEIGHT + 24
    items = [*ZONES.items(), ("cached (dashed line)", "currentColor"), ("plan moved or prefix broke", "#b00")]
    return "".join(
        f'<rect x="{_LEFT + n * 140}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        f'<text x="{_LEFT + n * 140 + 14}" y="{y}">{name}</text>'
        for n, (name, colour) in enumerate(items)
    )


def _y(tokens: float, top: float) -> float:
    return _TOP + _HEIGHT * (1 - tokens / top)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, dict):
        return " ".join(f"{name} {size}" for name, size in value.items())
    return "" if value is None else str(value)
