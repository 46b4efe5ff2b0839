"""The suite `compaction`: what is still known after many compactions, by whom it was written down."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from evals.baselines import baselines
from evals.counting import tokenizer
from evals.dialogues import DATA, Dialogue, generate, load
from evals.intervals import Metric, metric
from evals.jsonl import DataError, rows
from evals.model_notes import model_notes
from evals.plots import lines
from evals.policies import Run, budget, run_policy
from evals.probes import probe_figures, prose_dialogues
from evals.results import result
from evals.retention import held, retained
from evals.suite import Options, Result
from evals.summarisers import SUMMARISERS, Summariser, summarisers
from nodes.window.advance import advance

LENGTHS = ((60, 12_000), (200, 32_000), (60, 8_000))
"""Turns and high marks at which values are looked for; the last has at least nine compactions."""
ABOUT = "what is still known after many compactions, beside what others keep"
BOUNDS = {
    **{f"retention.{name}": (">=", 1.0) for name in SUMMARISERS},
    "unsupported_numbers": ("<=", 0),
    "probe_accuracy": (">=", 0.98),
    "distortion": ("<=", 0.03),
    "distortion.lying": ("<=", 0.03),
    "compactions.60.8000": (">=", 9),
}
LIVE_BOUNDS = {"cached_difference.model": ("<=", 0.02)}
"""For an endpoint with a cache of its own; the offline model counts by the first estimate."""


async def measure(options: Options) -> Result:
    """Run the suite on the dialogues that a run names; live, only what the model itself writes is looked at anew."""
    data = [options.data] if options.data else []
    if options.quick:
        return await run(data, others=False)
    model, points = options.settings.chat_model, rows(DATA / "prose.jsonl")
    written = await model_notes(options, points)
    if not options.live:
        return await run(data, written=written, model=f"scripts; .model: {model}")
    return result(
        "compaction",
        n=written["probe_accuracy.model"]["n"],
        dataset="prose.jsonl",
        metrics=written,
        bounds=LIVE_BOUNDS,
        baselines={},
        rows=[],
        model=model,
    )


async def run(
    data: Sequence[Path] = (),
    *,
    others: bool = True,
    written: Mapping[str, Any] | None = None,
    model: str = "none: answers are fed by script",
) -> Result:
    """Run the suite with scripted summarisers.

    Args:
        data: dialogues in JSON Lines, looked at as they are; without any, generated ones of 60 and 200 turns.
        others: whether the baselines are run.
        written: metrics of a chat model's notes.
        model: whose notes were looked at.
    """
    dialogues = [load(path) for path in data] or [generate(21, 60), generate(22, 200)]
    if empty := [d.name for d in dialogues if not d.values]:
        raise DataError(
            f"{', '.join(empty)}: no turn has 'facts' or a 'fact_tool', so there is nothing to keep."
        )
    found = [
        await _row(dialogue, high, name, writer)
        for turns, high in (LENGTHS[:1] if data else LENGTHS)
        for dialogue in dialogues
        if data or len(dialogue.turns) == turns
        for name, writer in summarisers(dialogue).items()
    ]
    own = [dialogue for dialogue in dialogues if dialogue.probes]
    metrics = figures(found) | await probe_figures(own or prose_dialogues()) | dict(written or {})
    led = {name: lead(dialogues[0]) for name, lead in baselines(12_000).items()} if others else {}
    ours = {f"ours, {name}": await _with(dialogues[0], name) for name in ("oracle", "empty")}
    return result(
        "compaction",
        n=len(found),
        dataset=", ".join([*(d.name for d in dialogues), *(() if own else ("prose.jsonl",))]),
        metrics=metrics,
        bounds=BOUNDS,
        baselines=_others(dialogues[0], led),
        rows=found,
        model=model,
        tokenizer=tokenizer()[0],
        plots=[
            lines(
                "Values stated so far that the window still holds",
                {name: held(dialogues[0], run) for name, run in (ours | led).items()},
                x="model call",
                y="share of values",
            )
        ],
    )


async def _with(dialogue: Dialogue, name: str) -> Run:
    return await run_policy(dialogue, budget(12_000), advance, summarisers(dialogue)[name])


async def _row(dialogue: Dialogue, high: int, name: str, writer: Summariser) -> dict[str, Any]:
    done = await run_policy(dialogue, budget(high), advance, writer)
    return {
        "id": f"{dialogue.name}.{high}.{name}",
        "turns": len(dialogue.turns),
        "high": high,
        "summariser": name,
        "compactions": len(done.compactions),
        **retained(dialogue, done),
        "notes_dropped": sum(c.dropped for c in done.compactions),
        "failures": [c.failure for c in done.compactions if c.failure],
    }


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return what is kept by whoever writes the notes, and the least at each length.

    Args:
        rows: as of a dialogue, a length and a summariser each.
    """
    found: dict[str, Metric] = {}
    for name in SUMMARISERS:
        by = [row for row in rows if row["summariser"] == name]
        n = sum(row["values"] for row in by)
        for key in ("retention", "in_window"):
            found[f"{key}.{name}"] = metric(sum(row[key] * row["values"] for row in by) / n, n, rate=True)
    for turns, high in LENGTHS:
        if at := [row for row in rows if (row["turns"], row["high"]) == (turns, high)]:
            for key in ("compactions", "in_window", "retention"):
                found[f"{key}.{turns}.{high}"] = metric(min(row[key] for row in at), len(at))
    found["unsupported_numbers"] = metric(sum(row["unsupported"] for row in rows), len(rows))
    lies = [row["notes_dropped"] for row in rows if row["summariser"] == "lying"]
    return found | {"notes_dropped.lying": metric(sum(lies), len(rows))}


def _others(dialogue: Dialogue, led: Mapping[str, Run]) -> dict[str, dict[str, float]]:
    """Return the share of values in the last window of each baseline, with a summariser that loses nothing."""
    shares = {}
    for name, run in led.items():
        window = "\n".join(run.requests[-1].parts)
        shares[name] = {
            "in_window.60.12000": round(mean(value in window for value in dialogue.values), 4),
            "invalid_calls": run.invalid,
        }
    return shares
