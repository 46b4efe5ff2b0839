"""Runs with a real model: what they will ask of it, how fast, what is kept, and who judges."""

from pathlib import Path

from langchain_core.rate_limiters import InMemoryRateLimiter

from evals.judges import judged
from evals.replies import Replies
from evals.spending import Spent
from evals.suite import Options, Result
from nodes.models import chat_model

REPLIES = Path(__file__).parent / "out" / "replies.jsonl"


def restrain(options: Options, per_minute: float, kept: Path = REPLIES) -> None:
    """Let the run's models answer at most so often, and keep what they answered.

    ``chat_model`` makes one object a name and settings, so all that the product calls is meant.
    """
    limiter = InMemoryRateLimiter(requests_per_second=per_minute / 60, check_every_n_seconds=0.05)
    replies = Replies(kept)
    for name in ("", options.settings.small_model):
        model = chat_model(options.settings, name)
        model.rate_limiter, model.cache = limiter, replies


def money(spent: Spent, prices: tuple[float, float]) -> float:
    """Return what calls cost, by the prices of a million input and output tokens."""
    return sum(of["input"] * prices[0] + of["output"] * prices[1] for of in spent.values()) / 1_000_000


async def beside(found: Result, offline: Result, options: Options) -> Result:
    """Return a live result with the offline model's figures on the same cases, and the judges' figures."""
    metrics = found["metrics"] | await judged(found["rows"], chat_model(options.settings))
    same = {name: each["value"] for name, each in offline["metrics"].items() if name in metrics}
    return found | {
        "live": True,
        "metrics": metrics,
        "baselines": {"offline model, same cases": same, **found["baselines"]},
    }
