"""Our own policies as runs of calls, so that they and the baselines are measured alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from langchain_core.messages import BaseMessage

from evals.counting import Request, request, shared, tokens, tool_tokens, wire
from evals.dialogues import Dialogue
from evals.summarisers import Summariser
from nodes.window.advance import Scene, advance
from nodes.window.budget import Budget
from nodes.window.compaction import Compaction
from nodes.window.estimator import Estimator, Meter
from nodes.window.plan import WindowPlan
from nodes.window.simulate import Policy, clear_only, no_policy, simulate
from nodes.window.valid import problems


def clearing_early(plan: WindowPlan, messages: Sequence[BaseMessage], scene: Scene) -> WindowPlan:
    """Move as usual, and clear the results of finished turns where that pays."""
    return advance(plan, messages, replace(scene, budget=replace(scene.budget, clear_early=True)))


POLICIES: dict[str, tuple[Policy, bool]] = {
    "none": (no_policy, False),
    "clear": (clear_only, False),
    "clear + trim": (advance, False),
    "clear + trim + compact": (advance, True),
    "clear early + trim + compact": (clearing_early, True),
}
"""Name → the policy, and whether notes are written."""


@dataclass(slots=True)
class Run:
    """The calls of one dialogue under one policy."""

    requests: list[Request] = field(default_factory=list)
    windows: list[list[BaseMessage]] = field(default_factory=list)
    zones: list[Mapping[str, int]] = field(default_factory=list)
    """Estimated tokens of each window by zone; empty for others' runs."""
    plans: list[WindowPlan] = field(default_factory=list)
    compactions: list[Compaction] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    """How much of the log each call had."""
    invalid: int = 0
    errors: list[float] = field(default_factory=list)
    """Relative error of each estimate after the first report."""
    seconds: list[float] = field(default_factory=list)


def budget(high: int, **changes: object) -> Budget:
    """Return the evals' budget for a high mark: 20,000 tokens of window for 12,000 and below, else high × 1.6."""
    window = 20_000 if high <= 12_000 else round(high * 1.6)  # noqa: PLR2004  # the sizes at which the bounds are stated
    made = Budget(window=window, reserve=2_000, high=high, low=high // 6)
    return replace(made, **changes)  # type: ignore[arg-type]  # the fields of Budget


async def run_policy(
    dialogue: Dialogue,
    budget: Budget,
    policy: Policy = advance,
    summariser: Summariser | None = None,
    scene: Callable[[Scene], Scene] = lambda scene: scene,
) -> Run:
    """Replay a dialogue under a policy and return its calls, summariser calls counted.

    Args:
        dialogue: recorded or generated.
        budget: the window's bounds.
        policy: how the plan changes.
        summariser: writes the notes; without one the setting `summarise` is off.
        scene: changes the scene, for example to add what stands in front of questions.
    """
    bounds = replace(budget, summarise=summariser is not None)
    start = Scene(budget=bounds, fixed=dialogue.fixed, meter=Meter(Estimator("gpt-4o")))
    asked: list[list[BaseMessage]] = []

    async def model(messages: list[BaseMessage]) -> BaseMessage:
        asked.append(messages)
        if summariser is None:
            raise RuntimeError("no summariser was given")
        return await summariser(messages)

    run, tools = Run(), tool_tokens(dialogue.tools)
    log = dialogue.messages()
    places = [p for p, message in enumerate(log) if message.type == "ai"]
    calls = simulate(
        log, scene(start), policy=policy, model=model if summariser else None, count=lambda m: _size(m, tools)
    )
    async for call in calls:
        sent = request(call.window.messages, dialogue.tools)
        run.requests.append(_with_summaries(sent, asked, run.requests[-1:], dialogue))
        asked.clear()
        run.windows.append(call.window.messages)
        run.zones.append(call.record.zones)
        run.plans.append(call.plan)
        run.compactions += [call.compaction] if call.compaction else []
        run.invalid += bool(problems(call.window.messages))
        run.sent.append(places[len(run.sent)])
        run.errors += [call.record.estimated / sent.size - 1] if len(run.requests) > 1 else []
        run.seconds.append(call.seconds)
    return run


def _size(messages: Sequence[BaseMessage], tools: int) -> int:
    return tools + sum(tokens(wire(message)) for message in messages)


def _with_summaries(
    sent: Request, asked: list[list[BaseMessage]], last: list[Request], dialogue: Dialogue
) -> Request:
    """Return a request with the input of the summariser calls before it, what the last request began with cached."""
    uncached = hits = 0
    for messages in asked:
        made = request(messages, dialogue.tools if messages[0].type == "system" else [])
        hit = shared(last[0], made) if last and messages[0].type == "system" else 0
        uncached, hits = uncached + made.size - hit, hits + hit
    return replace(sent, extra_uncached=uncached, extra_cached=hits)
