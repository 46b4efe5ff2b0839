"""The pages of docs/ that nobody types: the settings from their model, the results from a run."""

import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from evals.meanings import glossary
from evals.svg import number
from store.settings import PROJECT, Settings, variable

DOCS = PROJECT / "docs"
_FIGURE = re.compile(r"<!--= (.+?) -->.*?<!--/-->")
_MADE = "<!-- Made by `{}`; edit what it is made from. -->"


def settings_page() -> str:
    """Return the page of all settings, from the settings model."""
    rows = [
        f"| `{variable(name)}` | {_kind(field)} | {_default(field)} | {field.description} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            _MADE.format("python -m evals docs"),
            "# Settings",
            "",
            "An explicit argument (`load_settings(chat_model=…)`) wins over the environment, the environment over",
            "`.env`, that over the default. A value that is refused is named in the error, with what is allowed.",
            "`.env.example` holds all of them, to copy.",
            "",
            "| variable | kind | default | meaning |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def results_page(results: Sequence[Mapping[str, Any]], note: str = "") -> str:
    """Return the page of a run's figures.

    Args:
        results: as stored by a run.
        note: what a reader has to know about this run.
    """
    entries = glossary(metric for each in results for metric in each["metrics"])
    machines = ", ".join(dict.fromkeys(each["machine"] for each in results))
    return "\n".join(
        [
            _MADE.format("python -m evals docs --results DIR"),
            "# Results",
            "",
            f"Measured by `python -m evals run`, each suite at the revision that it names, on {machines}. Every figure",
            "stands with its n and, where the cases are a sample, its 95 % interval (rates: Wilson; means: bootstrap over",
            "the cases). Baselines ran in the same process on the same data. How it is measured: [evals.md](evals.md).",
            *(["", note] if note else []),
            *(line for each in results for line in _result(each)),
            "",
            "## What the figures mean",
            "Digits stand as `#`; what is before or behind a name (a mode, a policy, a variant) leaves it as it is.",
            "",
            *(f"- `{name}`: {text}" for name, text in entries.items()),
            "",
        ]
    )


def filled(page: str, results: str) -> str:
    """Return a page with its figures as they stand in the page of results.

    A figure is written ``<!--= suite metric -->…<!--/-->``, a baseline's with its name at the end.

    Raises:
        ValueError: a figure that was not measured; it has to leave the page.
    """
    known = _figures(results)

    def figure(found: re.Match[str]) -> str:
        place = " ".join(found[1].split())
        if place not in known:
            raise ValueError(
                f"{place!r} does not stand in results.md: measure it, or take it out of the page."
            )
        return f"<!--= {place} -->{known[place]}<!--/-->"

    return _FIGURE.sub(figure, page)


def _figures(results: str) -> dict[str, str]:
    """Return every figure of the page of results, by suite, metric and, for a baseline's, its name."""
    found: dict[str, str] = {}
    for suite, section in re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", results, re.MULTILINE | re.DOTALL):
        head, _, *rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:1] == "|"]
        for metric, *cells in rows:
            named = zip(head[1:], cells, strict=False)
            values = {name: value.strip() for name, value in named if name not in ("95 %", "n", "bound")}
            place = f"{suite} {metric.strip('`')}"
            found |= {
                place if name == "value" else f"{place} {name}": value
                for name, value in values.items()
                if value
            }
    return found


def _result(result: Mapping[str, Any]) -> list[str]:
    live, baselines = " with a live model" if result.get("live") else "", result["baselines"]
    broken = [f"- **Bound broken**: {each}" for each in result["broken"]]
    head = ("metric", "value", "95 %", "n", "bound", *baselines)
    computing = f", {result['cpu']:.0f} s of them computing" if "cpu" in result else ""
    about = (
        f"{result['about'][:1].upper()}{result['about'][1:]}. Data: {result['dataset']}; model: {result['model']}; "
        f"embedding: {result['embedding']}; revision `{result['revision']}`; {result['seconds']:.0f} s{computing}."
    )
    return [
        "",
        f"## {result['suite']}{live}",
        about,
        "",
        *([*broken, ""] if broken else []),
        f"| {' | '.join(head)} |",
        f"| {' | '.join('---' for _ in head)} |",
        *(_row(result, metric) for metric in result["metrics"]),
    ]


def _row(result: Mapping[str, Any], metric: str) -> str:
    each = result["metrics"][metric]
    span = "" if each["low"] is None else f"{number(each['low'])} to {number(each['high'])}"
    others = [values.get(metric) for values in result["baselines"].values()]
    cells = (
        f"`{metric}`",
        number(each["value"]),
        span,
        f"{each['n']:,}",
        result.get("bounds", {}).get(metric, ""),
        *("" if value is None else number(value) for value in others),
    )
    return f"| {' | '.join(cells)} |"


def _kind(field: FieldInfo) -> str:
    kinds = [kind for kind in get_args(field.annotation) or (field.annotation,) if kind is not NoneType]
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{kind}`" for kind in kinds)
    if "dict" in str(field.annotation):
        return "JSON object"
    names = {"str": "text", "SecretStr": "secret", "Path": "path", "int": "whole number", "float": "number", "bool": "true, false"}  # fmt: skip
    name = names.get(kinds[0].__name__, kinds[0].__name__)
    limits = [
        f"{sign} {number(getattr(limit, key))}"
        for limit in field.metadata
        for kind, key, sign in ((Ge, "ge", "≥"), (Gt, "gt", ">"), (Le, "le", "≤"), (Lt, "lt", "<"))
        if isinstance(limit, kind)
    ]
    return ", ".join([name, *limits])


def _default(field: FieldInfo) -> str:
    value = field.default
    if value in (None, "", {}):
        return "empty"
    if hasattr(value, "relative_to"):
        return f"`{value.relative_to(PROJECT)}/` in the checkout"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
