"""Retention: which of the values that a dialogue stated its windows still hold, or are one replay away."""

from statistics import mean

from langchain_core.messages import HumanMessage

from evals.dialogues import Dialogue, said
from evals.policies import Run
from nodes.window.log import Log
from nodes.window.notes import supported
from nodes.window.recall import History, recall_history
from nodes.window.tokens import content_text, message_text


def held(dialogue: Dialogue, run: Run) -> list[tuple[float, float]]:
    """Return for each call the share of the values stated before it that its window holds."""
    points = []
    for number, (request, sent) in enumerate(zip(run.requests, run.sent, strict=True), start=1):
        if values := said(dialogue, sent):
            text = "\n".join(request.parts)
            points.append((float(number), mean(value in text for value in values)))
    return points


def retained(dialogue: Dialogue, done: Run) -> dict[str, float]:
    """Return where a dialogue's values are at the end of a run: in the window, or behind an index line and replay.

    Returns:
        ``values``, how many were stated; the shares ``in_window`` and ``retention``; and ``unsupported``, the notes
        of the last window that state a value which their turn does not hold.
    """
    window = "\n".join(content_text(m.content) for m in done.windows[-1])
    plan, log = done.plans[-1], dialogue.messages()
    history = History().extended(log)
    before_it = "\n".join(message_text(m) for m in log[: done.sent[-1]])
    held, reachable, values = 0, 0, 0
    for number, turn in enumerate(dialogue.turns, start=1):
        for value in (v for v in turn.values if v in before_it):
            values += 1
            held += value in window
            reachable += value in window or (
                number <= plan.ledger.spilled_to
                and value in recall_history(value, [*log, HumanMessage("?")], history=history)
            )
    index = Log.of(log)
    return {
        "values": values,
        "in_window": held / values,
        "retention": reachable / values,
        "unsupported": sum(not supported(note, index, plan.turn - 1) for note in plan.notes),
    }
