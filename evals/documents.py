"""The pages of docs/ that nobody types: the settings from their model, the results from a run."""

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic.fields import FieldInfo

from evals.results import shown_first
from evals.svg import number
from store.settings import PROJECT, Settings, variable

DOCS = PROJECT / "docs"
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


def results_page(results: Sequence[Mapping[str, Any]], command: str) -> str:
    """Return the page of a run's figures.

    Args:
        results: as stored by a run.
        command: by which the run is repeated.
    """
    revisions = ", ".join(dict.fromkeys(f"`{each['revision']}`" for each in results))
    machines = ", ".join(dict.fromkeys(each["machine"] for each in results))
    return "\n".join(
        [
            _MADE.format("python -m evals docs --results DIR"),
            "# Results",
            "",
            f"Measured by `{command}` at {revisions}, on {machines}. Every figure stands with its n and, where the",
            "cases are a sample, its 95 % interval (rates: Wilson; means: bootstrap over the cases). Baselines ran in",
            "the same process on the same data. How it is measured: [evals.md](evals.md).",
            *(line for each in results for line in _result(each)),
            "",
        ]
    )


def _result(result: Mapping[str, Any]) -> list[str]:
    live, baselines = " with a live model" if result.get("live") else "", result["baselines"]
    broken = [f"- **Bound broken**: {each}" for each in result["broken"]]
    head = ("metric", "value", "95 %", "n", "bound", *baselines)
    about = (
        f"{result['about'][:1].upper()}{result['about'][1:]}. Data: {result['dataset']}; model: {result['model']}; "
        f"embedding: {result['embedding']}; {result['seconds']:.0f} s."
    )
    return [
        "",
        f"## {result['suite']}{live}",
        about,
        "",
        *([*broken, ""] if broken else []),
        f"| {' | '.join(head)} |",
        f"| {' | '.join('---' for _ in head)} |",
        *(_row(result, metric) for metric in shown_first(result)),
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
    names = {"str": "text", "SecretStr": "secret", "Path": "folder", "int": "whole number", "float": "number", "bool": "true, false"}  # fmt: skip
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
