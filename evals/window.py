"""The suite `window`: what calls cost, hold and keep cached, beside no management and what others do."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from evals.baselines import baselines
from evals.counting import tokenizer
from evals.dialogues import Dialogue, generate, load, said
from evals.figures import density, density_used, figures
from evals.intervals import metric, percentile
from evals.policies import POLICIES, Run, budget, run_policy
from evals.results import result
from evals.suite import Options, Result
from evals.summarisers import summarisers
from evals.tokenizers import estimator_errors
from evals.validity import invalid_windows
from evals.window_plots import window_plots
from evals.window_times import loop_sizes, planning_times, replay_times
from evals.window_variants import calibrated, with_memories
from nodes.window.advance import advance
from nodes.window.simulate import no_policy

FULL = "clear + trim + compact"
HIGH = 12_000
LONG, LONG_HIGH = 200, 32_000
FAMILIES = ("gpt-4o", "gpt-4", "qwen3.6-27b", "qwen2.5-72b-instruct", "deepseek-chat")
"""Models whose vocabulary is measured."""
ABOUT = "what calls cost, hold and keep cached, beside no management and what others do"
BOUNDS = {
    "invalid_calls": ("<=", 0),
    "over_budget_calls": ("<=", 0),
    "generated.invalid": ("<=", 0),
    "generated.over_budget": ("<=", 0),
    "cost_ratio@0.1": ("<=", 0.38),
    "cost_ratio@0.02": ("<=", 0.70),
    "hit_ratio": (">=", 0.89),
    "mean_tokens": ("<=", 8_000),
    "breaks": ("<=", 9),
    "density_1k": (">=", 25),
    "watermark_p95": ("<=", 0.7),
    "memories.cost": ("<=", 1.06),
    f"cost_ratio@0.1.{LONG}": ("<=", 0.218),
    "summariser_cached_share": (">=", 0.90),
    "plan_ms_60": ("<=", 1),
    "plan_ms_600": ("<=", 3),
    "plan_ms_6000": ("<=", 10),
    "move_ms": ("<=", 10),
    "replay_ms_6000_p95": ("<=", 20),
    "replay_found": (">=", 1.0),
    "estimate_error_p95.calibrated": ("<=", 0.01),
    **{f"estimate_error_p95.before.{m}": ("<=", 0.05) for m in FAMILIES},
    **{f"estimate_error_p95.after.{m}": ("<=", 0.01) for m in FAMILIES},
    **{f"estimate_lowest.unknown.{m}": (">=", -0.10) for m in FAMILIES},
}
"""Bounds at high 12,000, for dialogues of the recorded ones' size; a broken one makes the suite fail. That of 200 turns is
1,000k of the 4,581k that sending everything costs on the recorded dialogue, for others are longer."""


async def measure(options: Options) -> Result:
    """Run the suite on the dialogues that a run names."""
    data = [options.data] if options.data else []
    return await run(data, generated=500 if options.quick else 10_000, others=not options.quick)


async def run(
    data: Sequence[Path] = (), *, generated: int = 10_000, high: int = HIGH, others: bool = True
) -> Result:
    """Run the suite.

    Args:
        data: dialogues in JSON Lines; without any, three generated ones of 60 turns.
        generated: arbitrary logs × plans × budgets to render and validate.
        high: the high mark, in a window of 20,000 tokens (above 12,000: high × 1.6).
        others: whether the baselines are run.
    """
    dialogues = [load(path) for path in data] or [generate(seed, 60) for seed in (11, 12, 13)]
    runs = [await _runs(dialogue, high) for dialogue in dialogues]
    rows = [_rows(dialogue, own, high) for dialogue, own in zip(dialogues, runs, strict=True)]
    ours = [row[FULL] for row in rows]
    metrics = {
        name: metric(_worst(name, [row[name] for row in ours]), len(ours))
        for name in ours[0]
        if isinstance(ours[0][name], int | float)
    }
    metrics["memories.cost"] = metric(max([await with_memories(d, high) for d in dialogues]), len(dialogues))
    metrics["estimate_error_p95.calibrated"] = await calibrated(dialogues, high)
    metrics |= {name: metric(value, generated) for name, value in invalid_windows(generated).items()}
    metrics |= await _long(dialogues) if others else {}
    metrics |= await asyncio.to_thread(planning_times)
    metrics |= await asyncio.to_thread(replay_times)
    metrics |= loop_sizes()
    metrics |= {name: metric(value, n) for name, (value, n) in estimator_errors(dialogues).items()}
    led = [await asyncio.to_thread(_led, d, high) for d in dialogues] if others else [{} for _ in dialogues]
    beside = {
        d.name: {name: _figures(d, run, high, None) for name, run in by.items()}
        for d, by in zip(dialogues, led, strict=True)
    }
    return result(
        "window",
        n=len(dialogues),
        dataset=", ".join(d.name for d in dialogues),
        metrics=metrics,
        bounds=BOUNDS if high <= HIGH else {},
        baselines=_baseline_means(beside, rows),
        rows=[{"dialogue": d.name, **row} for d, row in zip(dialogues, rows, strict=True)]
        + [{"dialogue": name, **row} for name, row in beside.items()],
        tokenizer=tokenizer()[0],
        plots=window_plots(runs[0] | led[0], FULL, budget(high).limit),
    )


async def _runs(dialogue: Dialogue, high: int) -> dict[str, Run]:
    """Return the calls of each of our policies on a dialogue."""
    oracle = summarisers(dialogue)["oracle"]
    return {
        name: await run_policy(dialogue, budget(high), policy, oracle if notes else None)
        for name, (policy, notes) in POLICIES.items()
    }


def _rows(dialogue: Dialogue, runs: dict[str, Run], high: int) -> dict[str, dict[str, float]]:
    """Return the figures of each policy's calls, costs against none."""
    none = _figures(dialogue, runs["none"], high, None)
    return {name: _figures(dialogue, run, high, none) for name, run in runs.items()}


def _figures(dialogue: Dialogue, run: Run, high: int, none: dict[str, float] | None) -> dict[str, float]:
    found = figures(run.requests, budget(high).limit)
    asked = [r.extra_cached + r.extra_uncached for r in run.requests]
    base = none or found
    return {
        **found,
        "cost_ratio@0.1": found["cost_k@0.1"] / base["cost_k@0.1"],
        "cost_ratio@0.02": found["cost_k@0.02"] / base["cost_k@0.02"],
        "invalid_calls": run.invalid,
        "density_1k": density(run.requests, [said(dialogue, sent) for sent in run.sent]),
        "density_used": density_used(dialogue.messages()),
        "summariser_cached_share": sum(r.extra_cached for r in run.requests) / max(1, sum(asked)),
        "compactions": len(run.compactions),
        "estimate_error_p95": percentile([abs(error) for error in run.errors] or [0.0], 0.95),
    }


def _led(dialogue: Dialogue, high: int) -> dict[str, Run]:
    return {name: lead(dialogue) for name, lead in baselines(high).items()}


def _baseline_means(
    beside: dict[str, dict[str, dict[str, float]]], rows: list[dict[str, dict[str, float]]]
) -> dict[str, dict[str, float]]:
    """Return baselines and our own lesser policies, each the mean over the dialogues, costs as ratios to none."""
    merged = [
        {**row, **other} for row, other in zip(rows, list(beside.values()) or [{}] * len(rows), strict=True)
    ]
    means: dict[str, dict[str, float]] = {}
    for name in merged[0]:
        if name != FULL:
            columns = {key: mean([row[name][key] for row in merged]) for key in merged[0][name]}
            for price in ("0.1", "0.02"):
                key = f"cost_k@{price}"
                columns[f"cost_ratio@{price}"] = mean([row[name][key] / row["none"][key] for row in merged])
            means[name] = {key: round(value, 4) for key, value in columns.items()}
    return means


def _worst(name: str, values: Sequence[float]) -> float:
    """Return the value that a bound has to hold for: of several dialogues the worst."""
    return min(values) if BOUNDS.get(name, ("<=", 0))[0] == ">=" else max(values)


async def _long(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """Return what threads of 200 turns cost at high 32,000; a generated one where the data hold none."""
    long = [d for d in dialogues if len(d.turns) >= LONG] or [generate(22, LONG)]
    found = []
    for dialogue in long:
        none = _figures(dialogue, await run_policy(dialogue, budget(LONG_HIGH), no_policy), LONG_HIGH, None)
        oracle = summarisers(dialogue)["oracle"]
        run = await run_policy(dialogue, budget(LONG_HIGH), advance, oracle)
        found.append(_figures(dialogue, run, LONG_HIGH, none))
    names = (
        "cost_k@0.1",
        "cost_ratio@0.1",
        "cost_ratio@0.02",
        "breaks",
        "hit_ratio",
        "mean_tokens",
        "density_1k",
    )
    return {
        f"{name}.{LONG}": metric(_worst(name, [row[name] for row in found]), len(found)) for name in names
    }
