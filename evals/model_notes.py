"""A dialogue whose calls and notes a chat model really gets: what it writes, and what its cache serves."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from evals.dialogues import Dialogue, prose_dialogue
from evals.intervals import metric
from evals.probes import probed
from evals.suite import Options
from nodes.models import chat_model, invoke, invoke_briefly, usage_of
from nodes.window.advance import Scene
from nodes.window.budget import Budget
from nodes.window.compaction import STOP
from nodes.window.estimator import Estimator, Meter
from nodes.window.simulate import Call, simulate
from nodes.window.tokens import content_text

BUDGET = Budget(window=8_000, reserve=2_000, high=4_000, low=1_300)
"""Small, so that a model on a processor gets through several moves in minutes."""
POINTS = 4
"""Points of prose in the dialogue; with the turns around them, two dozen turns."""


async def model_notes(options: Options, points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Lead a dialogue with the configured model, and return what became of its notes and its cache.

    The dialogue's own answers stand in the log, so that every model meets the same requests.

    Args:
        options: the run's; ``sample`` is how many points of prose the dialogue has.
        points: rows of ``data/window/prose.jsonl``.
    """
    dialogue = prose_dialogue(points[: options.sample or POINTS], 0)
    calls, hits = await _led(dialogue, chat_model(options.settings), options.settings.chat_model)
    asked = probed(dialogue, calls[-1].window.messages, calls[-1].plan)
    values = [value for turn in dialogue.turns[: calls[-1].plan.turn - 1] for value in turn.values]
    window = "\n".join(content_text(m.content) for m in calls[-1].window.messages)
    return {
        "probe_accuracy.model": metric(mean(found for found, _ in asked), len(asked), rate=True),
        "probes_in_window.model": metric(mean(shown for _, shown in asked), len(asked), rate=True),
        "in_window.model": metric(mean(value in window for value in values), len(values), rate=True),
        **_written(calls),
        **_served(calls, hits),
    }


async def _led(
    dialogue: Dialogue, model: BaseChatModel, name: str
) -> tuple[list[Call], list[tuple[int, int]]]:
    """Return the calls of a dialogue, and for each the input tokens and the cached ones that were reported."""
    bound = model.bind_tools(dialogue.tools, tool_choice="none")
    scene = Scene(budget=BUDGET, fixed=dialogue.fixed, meter=Meter(Estimator(name)))

    async def notes(messages: list[BaseMessage]) -> BaseMessage:
        return await invoke_briefly(bound, messages, STOP * BUDGET.notes_chars)

    calls, reported = [], []
    async for call in simulate(dialogue.messages(), scene, model=notes):
        usage = usage_of(await invoke(bound.bind(max_tokens=1), call.window.messages))
        calls.append(call)
        reported.append((usage["input"], usage["cached"]))
    return calls, reported


def _written(calls: Sequence[Call]) -> dict[str, Any]:
    """Return how many lines of the model's notes were refused, and how many compactions came to nothing."""
    done = [call.compaction for call in calls if call.compaction]
    accepted, dropped = (sum(getattr(one, name) for one in done) for name in ("accepted", "dropped"))
    failed = sum(bool(one.failure) for one in done)
    return {
        "lines_dropped.model": metric(dropped / max(1, accepted + dropped), accepted + dropped, rate=True),
        "compactions_failed.model": metric(failed / max(1, len(done)), len(done), rate=True),
    }


def _served(calls: Sequence[Call], reported: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return the share of input that the cache was predicted to serve, that it served, and their difference."""
    if not any(cached for _, cached in reported):
        return {}  # the endpoint does not tell
    predicted = sum(c.record.cached_predicted for c in calls) / sum(c.record.estimated for c in calls)
    served = sum(cached for _, cached in reported) / sum(size for size, _ in reported)
    found = {"predicted": predicted, "reported": served, "difference": abs(predicted - served)}
    return {f"cached_{name}.model": metric(value, len(calls)) for name, value in found.items()}
