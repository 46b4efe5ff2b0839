"""The context window as a library: plain functions over LangChain messages, usable without the graph.

Another LangGraph project can take this folder alone. What a thread keeps between calls: the plan
(`WindowPlan.to_dict`), the last usage, and what stood in front of its questions since the last move.

    scene = Scene(budget=Budget(), fixed=Fixed.of(prompt, tool_schemas), meter=Meter(Estimator("gpt-4o")))
    plan = WindowPlan.from_dict(state.get("plan"))

    moved = advance(plan, messages, scene)                                         # clear, trim
    done = await write_notes(plan, moved, messages, scene, model.ainvoke)          # compact
    window = scene.window(done.plan, messages)                                     # assemble
    check_window(window.messages)
    answer = await model.ainvoke(window.messages)                                  # call
    meter = scene.meter.learned(window.counts, answer.usage_metadata["input_tokens"])  # account

`messages` is the whole thread and is never changed; `model` is the agent's own, tools bound, so that the request
for notes finds the last one's prefix in the provider's cache. Tools for the model: `recall_history` and
`read_result`. For graphs that keep no plan there are `trim_history`, `clear_old_tool_results` and `compact`.
"""

from nodes.window.account import CallRecord, account
from nodes.window.advance import Scene, advance
from nodes.window.budget import Budget, BudgetError
from nodes.window.clear import clear_old_tool_results
from nodes.window.compact import compact
from nodes.window.compaction import Compaction, write_notes
from nodes.window.estimator import Estimator, Meter, Usage
from nodes.window.excerpt import read_result
from nodes.window.front import unseen
from nodes.window.plan import WindowPlan, corrections, hide, mark_abandoned, mark_refuted
from nodes.window.recall import History, recall_history
from nodes.window.render import Fixed, Window, render
from nodes.window.simulate import simulate
from nodes.window.tokens import estimate_tokens, message_tokens
from nodes.window.trim import trim_history
from nodes.window.valid import InvalidWindowError, check_window

__all__ = [
    "Budget",
    "BudgetError",
    "CallRecord",
    "Compaction",
    "Estimator",
    "Fixed",
    "History",
    "InvalidWindowError",
    "Meter",
    "Scene",
    "Usage",
    "Window",
    "WindowPlan",
    "account",
    "advance",
    "check_window",
    "clear_old_tool_results",
    "compact",
    "corrections",
    "estimate_tokens",
    "hide",
    "mark_abandoned",
    "mark_refuted",
    "message_tokens",
    "read_result",
    "recall_history",
    "render",
    "simulate",
    "trim_history",
    "unseen",
    "write_notes",
]
