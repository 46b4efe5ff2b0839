"""One result as a page that needs nothing beside itself: figures with intervals, drawn and as a table."""

from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = """body{font:15px system-ui;margin:2rem auto;max-width:60rem}table{border-collapse:collapse}
td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ddd}.broken{color:#b00}
svg text{font:12px system-ui}"""
_WIDTH, _LINE, _LEFT = 700, 22, 260


def html(result: Mapping[str, Any]) -> str:
    """Return the page of a suite's result."""
    facts = ("dataset", "model", "embedding", "revision", "n")
    about = " · ".join(f"{name}: {escape(str(result[name]))}" for name in facts)
    broken = "".join(f'<p class="broken">bound broken: {escape(each)}</p>' for each in result["broken"])
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(result["suite"])}</title>'
        f"<style>{_STYLE}</style><h1>{escape(result['suite'])}</h1><p>{about}</p>{broken}"
        f"{_plot(result)}{_table(result)}</html>"
    )


def _plot(result: Mapping[str, Any]) -> str:
    """Draw the rates: a bar, its 95 % interval, and each baseline as a mark."""
    rates = {name: each for name, each in result["metrics"].items() if each["low"] is not None}
    lines = []
    for place, (name, each) in enumerate(rates.items()):
        y = place * _LINE + 6
        lines.append(
            f'<text x="0" y="{y + 12}">{escape(name)}</text>'
            f'<rect x="{_LEFT}" y="{y}" width="{each["value"] * _WIDTH:.0f}" height="14" fill="#8ab4d8"/>'
            f'<line x1="{_x(each["low"])}" x2="{_x(each["high"])}" y1="{y + 7}" y2="{y + 7}" stroke="#234"/>'
        )
        for baseline, values in result["baselines"].items():
            if name in values:
                x = _x(values[name])
                mark = f'<line x1="{x}" x2="{x}" y1="{y - 2}" y2="{y + 16}" stroke="#b00">'
                lines.append(f"{mark}<title>{escape(baseline)}</title></line>")
    height = len(rates) * _LINE + 12
    return f'<svg width="{_LEFT + _WIDTH + 20}" height="{height}" role="img">{"".join(lines)}</svg>'


def _x(value: float) -> str:
    return f"{_LEFT + value * _WIDTH:.0f}"


def _table(result: Mapping[str, Any]) -> str:
    names = list(result["baselines"])
    head = "".join(f"<th>{escape(each)}</th>" for each in ("metric", "value", "95 % interval", "n", *names))
    rows = []
    for name, each in result["metrics"].items():
        interval = "" if each["low"] is None else f"{each['low']:.3f} to {each['high']:.3f}"
        others = [str(result["baselines"][baseline].get(name, "")) for baseline in names]
        cells = (name, f"{each['value']:.3f}", interval, str(each["n"]), *others)
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"
