"""The suite `compaction`: what is still known after many compactions, by whom it was written down."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from langchain_core.messages import HumanMessage

from evals.baselines import baselines
from evals.counting import tokenizer
from evals.dialogues import DATA, Dialogue, generate, load, prose_dialogue, said
from evals.intervals import metric
from evals.jsonl import rows
from evals.model_notes import model_notes, probed
from evals.plots import lines
from evals.policies import Run, budget, run_policy
from evals.results import result
from evals.suite import Options, Result
from evals.summarisers import Summariser, summarisers
from nodes.window.advance import advance
from nodes.window.log import Log
from nodes.window.notes import supported
from nodes.window.recall import History, recall_history
from nodes.window.tokens import content_text, message_text

LENGTHS = ((60, 12_000), (200, 32_000), (60, 8_000))
"""Turns and high marks at which values are looked for; the last has at least nine compactions."""
POINTS = 20
"""Points of prose in one dialogue: together with the turns between them, sixty turns."""
ABOUT = "what is still known after many compactions, beside what others keep"
BOUNDS = {
    **{f"retention.{name}": (">=", 1.0) for name in ("oracle", "empty", "truncating", "lying")},
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
    found: list[dict[str, Any]] = []
    for turns, high in LENGTHS:
        for dialogue in (d for d in dialogues if len(d.turns) == turns or (data and turns == LENGTHS[0][0])):
            found += [
                await _retention(dialogue, high, name, model) for name, model in summarisers(dialogue).items()
            ]
    metrics = _kept(found) | await _probes() | dict(written or {})
    led = {name: lead(dialogues[0]) for name, lead in baselines(12_000).items()} if others else {}
    ours = {f"ours, {name}": await _with(dialogues[0], name) for name in ("oracle", "empty")}
    return result(
        "compaction",
        n=len(found),
        dataset=", ".join([*(d.name for d in dialogues), "prose.jsonl"]),
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


def held(dialogue: Dialogue, run: Run) -> list[tuple[float, float]]:
    """Return for each call the share of the values stated before it that its window holds."""
    points = []
    for number, (request, sent) in enumerate(zip(run.requests, run.sent, strict=True), start=1):
        if values := said(dialogue, sent):
            text = "\n".join(request.parts)
            points.append((float(number), mean(value in text for value in values)))
    return points


async def _retention(dialogue: Dialogue, high: int, name: str, model: Summariser) -> dict[str, Any]:
    """Return where a dialogue's values are at its end: in the window, or behind an index line and replay."""
    done = await run_policy(dialogue, budget(high), advance, model)
    window = "\n".join(content_text(m.content) for m in done.windows[-1])
    spilled = done.plans[-1].ledger.spilled_to
    log = dialogue.messages()
    history = History().extended(log)
    before_it = "\n".join(message_text(m) for m in log[: done.sent[-1]])
    held, reachable, said = 0, 0, 0
    for number, turn in enumerate(dialogue.turns, start=1):
        for value in (v for v in turn.values if v in before_it):
            said += 1
            held += value in window
            reachable += value in window or (
                number <= spilled
                and value in recall_history(value, [*log, HumanMessage("?")], history=history)
            )
    return {
        "id": f"{dialogue.name}.{high}.{name}",
        "turns": len(dialogue.turns),
        "high": high,
        "summariser": name,
        "compactions": len(done.compactions),
        "values": said,
        "in_window": held / said,
        "retention": reachable / said,
        "notes_dropped": sum(c.dropped for c in done.compactions),
        "unsupported": _unsupported(done, log),
        "failures": [c.failure for c in done.compactions if c.failure],
    }


def _unsupported(done: Run, log: Sequence[Any]) -> int:
    """Return how many notes of the last window state a value that their turn does not hold."""
    index, plan = Log.of(log), done.plans[-1]
    return sum(not supported(note, index, plan.turn - 1) for note in plan.notes)


def _kept(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    metrics = {}
    for name in ("oracle", "empty", "truncating", "lying"):
        rows_of = [row for row in found if row["summariser"] == name]
        n = sum(row["values"] for row in rows_of)
        for key, label in (("retention", "retention"), ("in_window", "in_window")):
            share = sum(row[key] * row["values"] for row in rows_of) / n
            metrics[f"{label}.{name}"] = metric(share, n, rate=True)
    for turns, high in LENGTHS:
        at = [row for row in found if (row["turns"], row["high"]) == (turns, high)]
        if at:
            metrics[f"compactions.{turns}.{high}"] = metric(min(row["compactions"] for row in at), len(at))
            metrics[f"in_window.{turns}.{high}"] = metric(min(row["in_window"] for row in at), len(at))
            metrics[f"retention.{turns}.{high}"] = metric(min(row["retention"] for row in at), len(at))
    metrics["unsupported_numbers"] = metric(sum(row["unsupported"] for row in found), len(found))
    metrics["notes_dropped.lying"] = metric(
        sum(row["notes_dropped"] for row in found if row["summariser"] == "lying"), len(found)
    )
    return metrics


async def _probes() -> dict[str, Any]:
    """Ask about decisions, promises, open points and complaints after their turns have left the window.

    A probe is answerable when the window states what it asks for, or one call of `recall_history` with the
    probe's own words returns it. With the whole history every probe is.
    """
    points = rows(DATA / "prose.jsonl")
    groups = [points[i : i + POINTS] for i in range(0, len(points) - POINTS + 1, POINTS)]
    metrics: dict[str, Any] = {}
    for name in ("oracle", "empty", "truncating", "lying"):
        answers = []
        for seed, group in enumerate(groups):
            dialogue = prose_dialogue(group, seed)
            done = await run_policy(dialogue, budget(12_000), advance, summarisers(dialogue)[name])
            answers += probed(dialogue, done.windows[-1], done.plans[-1])
        n, known = len(answers), mean(known for known, _ in answers)
        label = "" if name == "oracle" else f".{name}"
        metrics[f"probe_accuracy{label}"] = metric(known, n, rate=True)
        metrics[f"probes_in_window{label}"] = metric(mean(shown for _, shown in answers), n, rate=True)
        metrics[f"distortion{label}"] = metric(1 - known, n, rate=True)
    return metrics


def _others(dialogue: Dialogue, led: Mapping[str, Run]) -> dict[str, dict[str, float]]:
    """Return the share of values in the last window of each baseline, with a summariser that loses nothing."""
    values = [value for turn in dialogue.turns for value in turn.values]
    shares = {}
    for name, run in led.items():
        window = "\n".join(run.requests[-1].parts)
        shares[name] = {
            "in_window.60.12000": round(mean(value in window for value in values), 4),
            "invalid_calls": run.invalid,
        }
    return shares
