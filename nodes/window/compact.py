"""Compaction as one function over a list of messages, for a graph that keeps no window plan."""

import re
from collections.abc import Callable
from dataclasses import replace

from langchain_core.messages import BaseMessage, SystemMessage

from nodes.window.advance import Scene
from nodes.window.budget import Budget
from nodes.window.compaction import Model, accept, chunk_requests
from nodes.window.estimator import Estimator, Meter
from nodes.window.ledger import Ledger, lines_of
from nodes.window.log import Log
from nodes.window.notes import parse_notes
from nodes.window.plan import WindowPlan
from nodes.window.render import LEDGER_TITLE, NOTES_TITLE, Fixed, warm_text
from nodes.window.tokens import content_text, message_tokens

_TITLE = re.escape(NOTES_TITLE).replace(r"\{first\}", r"\d+").replace(r"\{last\}", r"(\d+)")
_SPILLED = re.compile(r"^T1–T(\d+): (\d+) values", re.MULTILINE)


async def compact(
    messages: list[BaseMessage],
    model: Model,
    *,
    trigger: int = 3_000,
    keep_last_turns: int = 3,
    budget: Budget | None = None,
    count: Callable[[BaseMessage], int] = message_tokens,
) -> list[BaseMessage]:
    """Fold the oldest turns of a conversation into the ledger and notes of its system message.

    Every line of the model's notes is checked against the turn that it names. If the model fails, the ledger
    stands alone. Notes and ledger of an earlier call are merged: there is one system message, in front.

    Args:
        messages: the whole conversation, or what an earlier call returned with more behind it.
        model: writes the notes: a chat model's ``ainvoke``.
        trigger: below so many tokens the input is returned as it is.
        keep_last_turns: newest turns that stay; the input is returned as it is if it has no more. 0 folds all.
        budget: caps of notes and ledger.
        count: tokens of a message.

    Returns:
        one system message and the turns that stay; the input itself if there is nothing to fold.
    """
    log = Log.of(messages)
    fold = len(log.starts) - keep_last_turns
    if sum(map(count, messages)) < trigger or fold <= 0:
        return messages
    prompt, plan = _earlier("\n\n".join(content_text(messages[p].content) for p in log.systems))
    log.first_turn += plan.turn - 1
    end = log.first_turn + fold
    scene = Scene(budget=budget or Budget(), fixed=Fixed(prompt))
    kept = [m for m in messages[log.start(end) :] if not isinstance(m, SystemMessage)]
    folded = await _folded(plan, log, end, scene, model)
    return [SystemMessage("\n\n".join(filter(None, [prompt, warm_text(folded)]))), *kept]


async def _folded(plan: WindowPlan, log: Log, end: int, scene: Scene, model: Model) -> WindowPlan:
    budget = scene.budget
    ledger = plan.ledger.appended(lines_of(log, log.first_turn, end))
    spilled = ledger.spilled(budget.ledger_tokens, Meter(Estimator("unknown")).text)
    plan = replace(plan, turn=end, ledger=spilled)
    requests = chunk_requests(plan.notes, log, range(log.first_turn, end), budget)
    try:
        answers = [content_text((await model(request)).content) for request in requests]
    except Exception:  # noqa: BLE001  # any failure of a model means the same: the ledger stands alone
        return plan
    return accept(plan, log, "\n".join(answers), scene).plan


def _earlier(system: str) -> tuple[str, WindowPlan]:
    """Split a system message into its prompt and the ledger and notes that an earlier call left in it."""
    begin = min((at for at in (system.find(LEDGER_TITLE), _find(_TITLE, system)) if at >= 0), default=-1)
    if begin < 0:
        return system, WindowPlan()
    prompt, warm = system[:begin].rstrip(), system[begin:]
    title = re.search(_TITLE, warm)
    ledger, notes = (warm[: title.start()], warm[title.end() :]) if title else (warm, "")
    index = _SPILLED.search(ledger)
    lines = tuple(line for line in ledger.splitlines() if re.match(r"T\d+(\[|\s)", line))
    spilled = (int(index[1]), int(index[2])) if index else (0, 0)
    turn = int(title[1]) + 1 if title else 1
    return prompt, WindowPlan(turn=turn, ledger=Ledger(lines, *spilled), notes=tuple(parse_notes(notes)[0]))


def _find(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return found.start() if found else -1
