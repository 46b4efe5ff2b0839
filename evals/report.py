"""Results as one page that needs nothing beside itself: what was measured, how, and what came of it."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from evals.meanings import glossary
from evals.results import shown_first
from evals.svg import draw, interval, number

_STYLE = Path(__file__).with_name("page.css").read_text("utf-8")
_FAILURES = 40
_LONG = 600

_READING = """<h2>How to read this page</h2>
<p>Every figure stands with its <b>n</b>, the cases that it was counted over, and where the cases are a sample, with the
<b>95 % interval</b>: for rates Wilson's score interval, for means a bootstrap over the cases. A difference smaller than
the intervals is no difference. <b>Baselines</b> ran in the same process on the same data; an empty cell means that the
figure does not exist there. A <b>bound</b> is what the suite promises; a broken one makes the run fail.
The drawing beside a rate is the scale from 0 to 1: a dot on its interval, and a mark for each baseline.</p>"""


def html(results: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of some results, as they were written by a run."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>SupportPilot, measured</title>'
        f"<style>{_STYLE}</style></head><body>{_head(results)}{_summary(results)}{_READING}"
        f"{''.join(map(_section, results))}</body></html>"
    )


def _head(results: Sequence[Mapping[str, Any]]) -> str:
    def every(key: str) -> str:
        return escape(", ".join(dict.fromkeys(str(each[key]) for each in results if each.get(key))) or "none")

    seconds = sum(each.get("seconds", 0) for each in results)
    return (
        "<h1>SupportPilot, measured</h1>"
        "<p>SupportPilot is a customer-support agent whose subject is the context window: what the model sees on "
        "every call is chosen, budgeted and measured. This page is one run of its evals.</p>"
        f'<p class="soft">Revision <code>{every("revision")}</code> · '
        f"{len(results)} suites in {seconds / 60:.1f} min · on {every('machine')}</p>"
    )


def _summary(results: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for each in results:
        stated = sum(name in each["metrics"] for name in each.get("bounds", {}))
        kept, broken = stated - len(each["broken"]), bool(each["broken"])
        verdict = (
            f'<span class="{"bad" if broken else "good"}">{kept} of {stated} hold</span>'
            if stated
            else "none stated"
        )
        rows.append(
            f'<tr><td><a href="#{_id(each)}">{escape(_name(each))}</a></td><td>{verdict}</td>'
            f'<td class="number">{each["n"]:,}</td><td class="number">{each.get("seconds", 0):.0f} s</td>'
            f'<td class="long">{escape(each.get("about", ""))}</td></tr>'
        )
    head = "<tr><th>suite</th><th>bounds</th><th>cases</th><th>took</th><th>what</th></tr>"
    return f'<div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def _section(result: Mapping[str, Any]) -> str:
    broken = "".join(f'<p class="bad">Bound broken: {escape(each)}</p>' for each in result["broken"])
    drawn = "".join(map(draw, result.get("plots", ())))
    plots = f'<div class="plots">{drawn}</div>' if drawn else ""
    facts = ("dataset", "model", "embedding", "n", "revision")
    about = " · ".join(f"{name}: {escape(str(result[name]))}" for name in facts)
    return (
        f'<section><h2 id="{_id(result)}">{escape(_name(result))}</h2><p>{escape(_sentence(result.get("about", "")))}</p>'
        f'{_how(result)}<p class="soft">{about}{_spent(result)}</p>{broken}'
        f"{plots}{_tables(result)}{_meanings(result)}{_failures(result)}</section>"
    )  # fmt: skip


def _how(result: Mapping[str, Any]) -> str:
    said = "".join(f"<li>{_code(escape(sentence))}</li>" for sentence in result.get("how", ()))
    return f"<ul>{said}</ul>" if said else ""


def _spent(result: Mapping[str, Any]) -> str:
    return "".join(
        f" · {escape(model)}: {used['calls']:,} calls, {used['input']:,} tokens in, {used['output']:,} out"
        for model, used in result.get("spent", {}).items()
    )


def _tables(result: Mapping[str, Any]) -> str:
    """Show what has a bound, a baseline or an interval, and the rest on request."""
    first = shown_first(result)
    rest = [name for name in result["metrics"] if name not in first]
    if not rest:
        return _table(result, first)
    more = f"<details><summary>{len(rest)} more figures</summary>{_table(result, rest)}</details>"
    return _table(result, first) + more


def _table(result: Mapping[str, Any], metrics: Sequence[str]) -> str:
    baselines = {
        name: values for name, values in result["baselines"].items() if any(m in values for m in metrics)
    }
    columns = ("metric", "", "value", "95 % interval", "n", "bound", *baselines)
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    rows = "".join(_row(result, metric, baselines) for metric in metrics)
    return f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'


def _row(result: Mapping[str, Any], metric: str, baselines: Mapping[str, Mapping[str, float]]) -> str:
    each, bound = result["metrics"][metric], result.get("bounds", {}).get(metric, "")
    others = {name: values[metric] for name, values in baselines.items() if values.get(metric) is not None}
    span = "" if each["low"] is None else f"{number(each['low'])} to {number(each['high'])}"
    broke = any(text.startswith(f"{metric} =") for text in result["broken"])
    beside = (
        f'<td class="number">{number(others[name]) if name in others else ""}</td>' for name in baselines
    )
    return (
        f"<tr><td><code>{escape(metric)}</code></td><td>{interval(each, others)}</td>"
        f'<td class="number{" bad" if broke else ""}">{number(each["value"])}</td><td>{span}</td>'
        f'<td class="number">{each["n"]:,}</td><td>{escape(bound)}</td>{"".join(beside)}</tr>'
    )


def _meanings(result: Mapping[str, Any]) -> str:
    entries = glossary(result["metrics"])
    items = "".join(f"<li><code>{escape(name)}</code>: {escape(text)}</li>" for name, text in entries.items())
    return f"<details><summary>What the figures mean</summary><ul>{items}</ul></details>" if items else ""


def _failures(result: Mapping[str, Any]) -> str:
    failed = [row for row in result["rows"] if row.get("failed")]
    if not failed:
        return ""
    items = []
    for row in failed[:_FAILURES]:
        shown = {key: value for key, value in row.items() if key not in ("id", "failed")}
        text = json.dumps(shown, ensure_ascii=False)
        cut = text if len(text) <= _LONG else f"{text[:_LONG]}…"
        items.append(f'<tr><td><code>{escape(str(row.get("id", "")))}</code></td><td class="long"><code>{escape(cut)}</code></td></tr>')  # fmt: skip
    more = f"the first {_FAILURES} of " if len(failed) > _FAILURES else ""
    return (
        f"<details><summary>What failed: {more}{len(failed)} cases</summary>"
        f'<div class="scroll"><table><tr><th>case</th><th>what was got</th></tr>{"".join(items)}</table></div></details>'
    )


def _name(result: Mapping[str, Any]) -> str:
    return f"{result['suite']}, live" if result.get("live") else str(result["suite"])


def _id(result: Mapping[str, Any]) -> str:
    return re.sub(r"\W+", "-", _name(result))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
