"""The suite `scale`: how cost grows with what is kept."""

from evals.results import machine, result
from evals.scale_turns import BOUNDS as TURN_BOUNDS
from evals.scale_turns import turn_rows
from evals.suite import Options, Result

ABOUT = "what long threads store and cost in time, beside a bare graph with the same log channel"
BOUNDS = {**TURN_BOUNDS}


async def measure(options: Options) -> Result:
    """Run the suite; its data are made here."""
    metrics, bare, rows = await turn_rows(options)
    return result(
        "scale",
        n=len(rows),
        dataset="made here",
        metrics=metrics,
        bounds=BOUNDS,
        baselines={"bare two-node graph": bare},
        rows=rows,
        model=options.settings.chat_model,
        machine=machine(),
    )
