"""The product's policy under other conditions: with memories in play, and with weights that were learned before."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage

from evals.dialogues import Dialogue, generate
from evals.figures import figures
from evals.intervals import metric, percentile
from evals.policies import budget, run_policy
from evals.summarisers import summarisers
from nodes.window.advance import Scene, advance
from nodes.window.estimator import Estimator, Meter
from nodes.window.front import unseen
from nodes.window.log import Log
from nodes.window.plan import WindowPlan


async def with_memories(dialogue: Dialogue, high: int) -> float:
    """Return the cost with recalled memories in front of the questions, against without."""
    pool = [
        f"记忆 memory {i:02}: 用户希望{what}"
        for i, what in enumerate(["先看结论", "收邮件", "少用术语", "当天回复"] * 6)
    ]
    fronts: dict[str, str] = {}
    rng = random.Random(7)  # noqa: S311  # a data set, not a secret

    def policy(plan: WindowPlan, log: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
        question = Log.of(log).question()
        key = log[question].id or ""
        if key not in fronts:
            lines = unseen(rng.sample(pool, 5), scene.window(plan, log), scene.budget.memory_chars)
            fronts[key] = "\n".join(lines)
        return advance(plan, log, scene)

    oracle = summarisers(dialogue)["oracle"]
    plain = await run_policy(dialogue, budget(high), advance, oracle)
    with_them = await run_policy(dialogue, budget(high), policy, oracle, lambda s: replace(s, fronts=fronts))
    limit = budget(high).limit
    return figures(with_them.requests, limit)["cost_k@0.1"] / figures(plain.requests, limit)["cost_k@0.1"]


async def calibrated(dialogues: Sequence[Dialogue], high: int) -> dict[str, Any]:
    """Return the error of estimates when the model's weights were learned in another thread, moves included."""
    learned = Estimator("gpt-4o")
    await run_policy(generate(99, 60), budget(high), scene=lambda s: replace(s, meter=Meter(learned)))
    errors: list[float] = []
    for dialogue in dialogues:
        meter = Meter(Estimator.from_dict(learned.to_dict()))
        done = await run_policy(dialogue, budget(high), scene=lambda s, m=meter: replace(s, meter=m))  # type: ignore[misc]  # a default binds the loop's value
        errors += map(abs, done.errors)
    return metric(percentile(errors, 0.95), len(errors))
