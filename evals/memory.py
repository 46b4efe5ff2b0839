"""The suite `memory`: over several conversations, what is written, what holds, what comes back, what another user sees."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evals import jsonl
from evals.intervals import Metric, metric, share
from evals.results import result, versioned
from evals.scenarios import FORM, Scenario, play, said_in
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from store.memory import embedded_text
from store.resources import Resources

DATA = Path(__file__).parent / "data" / "memory" / "scenarios.jsonl"
ABOUT = "conversations on several days: what is kept, replaced, recalled and forgotten, beside a similarity threshold"
BOUNDS = {
    "one_active_value": (">=", 1.0),
    "staleness": ("<=", 0.0),
    "cross_user": ("<=", 0.0),
    "leaks": ("<=", 0.0),
    "forget_rows_left": ("<=", 0.0),
}
_SAME = 0.9
"""Cosine from which the baseline takes two messages for one."""


async def measure(options: Options) -> Result:
    """Play the scenarios, each by a user of its own, with the model of the run, then ask, probe and forget."""
    data = options.data or DATA
    scenarios = options.some(jsonl.rows(data, form=FORM))
    async with open_knowledge_only(options.settings) as opened:
        rows = [await play(opened, scenario) for scenario in options.track(scenarios)]
        baseline = await _by_threshold(opened, scenarios)
    return result(
        "memory",
        n=len(rows),
        dataset=versioned(data),
        model=options.settings.chat_model,
        embedding=opened.memories.embedder.name,
        metrics=figures(rows),
        bounds=BOUNDS,
        baselines={"similarity threshold": baseline},
        rows=rows,
        how=[
            "extraction_recall: words that a check wants and that a memory which holds has.",
            "extraction_precision: memories that rest on the user's own words and that a check asks for.",
            "staleness: checks for which something comes back that no longer holds.",
            f"The baseline keeps every message and replaces what has a cosine from {_SAME} on.",
        ],
    )


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return the figures of played scenarios; one without a case is left out.

    Args:
        rows: one a scenario: words ``wanted`` and ``found``, lists of flags (a memory: ``right``; a check: ``recalled``,
            ``slots``, ``stale``), and counts of what must not be (``uncited``, ``cross_user``, ``leaks``, ``rows_left``).
    """
    wanted, found = sum(row["wanted"] for row in rows), sum(row["found"] for row in rows)
    flags = {
        name: [flag for row in rows for flag in row[key]]
        for name, key in (
            ("extraction_precision", "right"),
            ("recalled", "recalled"),
            ("one_active_value", "slots"),
            ("staleness", "stale"),
        )
    }
    counts = {
        name: sum(row[key] for row in rows)
        for name, key in (
            ("uncited", "uncited"),
            ("cross_user", "cross_user"),
            ("leaks", "leaks"),
            ("forget_rows_left", "rows_left"),
        )
    }
    recall = {"extraction_recall": metric(found / wanted, wanted, rate=True)} if wanted else {}
    rates = {name: share(each) for name, each in flags.items() if each}
    return recall | rates | {name: metric(value, len(rows)) for name, value in counts.items()}


async def _by_threshold(opened: Resources, scenarios: Sequence[Scenario]) -> dict[str, float]:
    """Keep every message, and replace what is alike: what a threshold alone makes of the same conversations."""
    stale, found = [], []
    for scenario in scenarios:
        texts = [said.text for n, one in enumerate(scenario["sessions"]) for said in said_in(one, n)]
        vectors = np.asarray(
            await opened.memories.embedder.embed_documents([embedded_text(t) for t in texts])
        )
        kept: list[int] = []
        for place in range(len(texts)):
            kept = [one for one in kept if float(vectors[one] @ vectors[place]) < _SAME] + [place]
        for check in scenario["checks"]:
            query = np.asarray(await opened.memories.embedder.embed_query(check["query"]))
            best = sorted(kept, key=lambda one: -float(vectors[one] @ query))[:5]
            text = "\n".join(texts[one] for one in best)
            stale.append(any(word in text for word in check["must_not_recall"]))
            found.append(all(word in text for word in check["must_recall"]))
    count = max(1, len(stale))
    return {"staleness": round(sum(stale) / count, 4), "recalled": round(sum(found) / count, 4)}
