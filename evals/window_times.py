"""What planning and rendering take in time, and what a loop inside one turn takes in tokens."""

from collections.abc import Sequence
from statistics import mean, median
from time import process_time
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from evals.dialogues import generate
from evals.intervals import metric, percentile, share
from nodes.window.advance import Scene, advance
from nodes.window.budget import Budget
from nodes.window.excerpt import read_result
from nodes.window.log import Log, handle
from nodes.window.plan import WindowPlan
from nodes.window.recall import History, recall_history
from nodes.window.simulate import clear_only, no_policy
from nodes.window.valid import check_window

LONGEST = 6_000
"""Messages of the longest thread of which times are taken."""


def planning_times() -> dict[str, dict[str, Any]]:
    """Measure the CPU time of planning, rendering and validating without a move at three lengths, and a move at the longest."""
    dialogue = generate(3, 1_400)
    log, found = dialogue.messages(), {}
    scene = Scene(budget=Budget(), fixed=dialogue.fixed)
    for length in (60, 600, LONGEST):
        cut = max(p for p in dialogue.starts() if p < length) + 1
        plan = advance(WindowPlan(), log[:cut], scene)
        times = [_timed(plan, log[:cut], scene) for _ in range(60)]
        found[f"plan_ms_{length}"] = metric(median(times), len(times))
        found[f"plan_ms_{length}_p95"] = metric(percentile(times, 0.95), len(times))
    moves, plan = [], WindowPlan()
    for cut in (p + 1 for p in dialogue.starts() if p < LONGEST):
        started = process_time()
        moved = advance(plan, log[:cut], scene)
        if moved.moves != plan.moves:
            moves.append((process_time() - started) * 1_000)
        plan = moved
    found["move_ms"] = metric(median(moves), len(moves))
    return found | {"move_ms_p95": metric(percentile(moves, 0.95), len(moves))}


def replay_times() -> dict[str, dict[str, Any]]:
    """Measure the CPU time of `recall_history` in a thread of 6,000 messages whose texts are kept, by words and codes.

    ``replay_found`` is the share of the evicted turns and cleared results that were fetched by the id in their stub.
    """
    dialogue = generate(4, 1_400)
    log = [*dialogue.messages()[: LONGEST - 1], HumanMessage("?")]
    history = History().extended(log)
    index, times, found = Log.of(log), [], []
    for number in range(1, index.last_turn, 9):
        turn = dialogue.turns[number - 1]
        for query in (turn.values[0], turn.user, f"T{number}"):
            started = process_time()
            excerpts = recall_history(query, log, history=history)
            times.append((process_time() - started) * 1_000)
        found.append(excerpts.startswith(f"T{number}\n"))
    found += [
        read_result(handle(place), log).startswith(f"{handle(place)} lines 1")
        for place, message in enumerate(log)
        if isinstance(message, ToolMessage)
    ]
    return {
        f"replay_ms_{LONGEST}": metric(median(times), len(times)),
        f"replay_ms_{LONGEST}_p95": metric(percentile(times, 0.95), len(times)),
        "replay_found": share(found),
    }


def _timed(plan: WindowPlan, log: Sequence[BaseMessage], scene: Scene) -> float:
    started = process_time()
    check_window(scene.window(advance(plan, log, scene), log).messages)
    return (process_time() - started) * 1_000


def loop_sizes() -> dict[str, dict[str, Any]]:
    """Return the tokens per model step inside one turn of twelve searches, clearing off and on."""
    base = generate(5, 40)
    results = [call["result"] for turn in base.turns for call in turn.calls][:12]
    log: list[BaseMessage] = [HumanMessage(base.turns[0].user, id="q")]
    for i, text in enumerate(results):
        call = {"id": f"s{i}", "name": "search_help", "args": {"query": str(i)}, "type": "tool_call"}
        log += [
            AIMessage("", tool_calls=[call], id=f"c{i}"),
            ToolMessage(text, tool_call_id=f"s{i}", id=f"t{i}"),
        ]
    bounds = Budget(window=9_000, reserve=1_000, high=4_000, low=1_300, keep_groups=2)
    found = {}
    for name, policy in {"off": no_policy, "on": clear_only}.items():
        scene, plan, sizes = Scene(budget=bounds, fixed=base.fixed), WindowPlan(), []
        for place in range(1, len(log) + 1, 2):
            plan = policy(plan, log[:place], scene)
            sizes.append(scene.size(plan, log[:place]))
        found[f"loop.tokens_per_step.clearing_{name}"] = metric(mean(sizes), len(sizes))
        found[f"loop.max_tokens.clearing_{name}"] = metric(max(sizes), len(sizes))
    return found
