"""Compaction: after a move, a model writes down what the turns that left held, and code checks every line."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from nodes.window.advance import Scene
from nodes.window.budget import Budget
from nodes.window.counts import ZERO, Counts, message_counts, total
from nodes.window.degrade import degrade
from nodes.window.log import Log
from nodes.window.notes import Note, halved, merge, notes_text, parse_notes, supported
from nodes.window.plan import WindowPlan, shown
from nodes.window.prompts import aside, chunk, pieces, transcript
from nodes.window.tokens import content_text

Model = Callable[[list[BaseMessage]], Awaitable[BaseMessage]]
"""A model call: a chat model's or any Runnable's ``ainvoke``, with the agent's own tools bound."""

TOO_LONG = 6
"""An answer so many times longer than the notes may be is refused unread."""
STOP = 3
"""Times the length of the notes behind which a model that writes them is stopped: it repeats itself, or thinks aloud."""
PATIENCE = 3
"""Failures in a row after which turns that left stay without notes; their ledger lines remain."""
CHUNK_CHARS = 12_000
"""Characters of turns in one request when they do not go behind the agent's own."""


MESSAGE_CHARS = 500


@dataclass(frozen=True, slots=True)
class Compaction:
    """What came of a compaction."""

    plan: WindowPlan
    accepted: int = 0
    dropped: int = 0
    """Lines that code refused: a value that the named turn does not hold, no turn, no heading, too long."""
    failure: str = ""
    """Why there are no new notes; empty if there are."""
    sent: Counts = ZERO
    """What the requests were made of."""
    calls: int = 0


async def write_notes(
    before: WindowPlan, after: WindowPlan, messages: Sequence[BaseMessage], scene: Scene, model: Model
) -> Compaction:
    """Write notes about the turns that a move took out of the window.

    The request is the agent's own last one with an instruction behind it, so that its prefix is cached; turns
    that it did not show, or that do not fit, go in chunks. If the model fails, or its answer is empty, too
    long, not in the form or not supported, the window keeps the ledger and the turns are tried again at the
    next move. Between two moves nothing is written.

    Args:
        before: the plan of the last request.
        after: the plan that the move arrived at.
        messages: the whole thread.
        scene: what the move was decided in.
        model: the call; whatever it raises counts as a failure.
    """
    if not after.unwritten or before.moves == after.moves:
        return Compaction(after)
    log = Log.of(messages)
    requests = _requests(before, after, log, scene)
    sent = total([message_counts(m) for request in requests for m in request])
    try:
        answers = [content_text((await model(request)).content) for request in requests]
    except Exception as error:  # noqa: BLE001  # any failure of a model means the same: no notes now
        return _failed(before, after, f"{type(error).__name__}: {error}", sent, len(requests))
    done = replace(accept(after, log, "\n".join(answers), scene), sent=sent, calls=len(requests))
    if done.failure:
        return replace(_failed(before, after, done.failure, sent, len(requests)), dropped=done.dropped)
    plan = degrade(done.plan, messages, scene.budget, scene.meter, lambda p: scene.size(p, messages))
    return replace(done, plan=plan)


def accept(after: WindowPlan, log: Log, text: str, scene: Scene) -> Compaction:
    """Take a model's answer into the plan, line by line, as far as the named turns support it.

    Args:
        after: the plan that waits for notes.
        log: the whole thread.
        text: the model's answer.
        scene: its budget caps the notes.
    """
    limit = scene.budget.notes_chars
    if not text.strip() or len(text) > TOO_LONG * max(limit, 1):
        return Compaction(after, failure="too long" if text.strip() else "empty")
    notes, malformed = parse_notes(text)
    if not notes and text.strip(" -*.\n").lower() in ("none", "无"):
        return Compaction(replace(after, unwritten=0, failures=0))
    kept = [note for note in notes if supported(note, log, after.turn - 1)]
    dropped = malformed + len(notes) - len(kept)
    if not kept:
        return Compaction(after, dropped=dropped, failure="unsupported" if notes else "malformed")
    merged = halved(merge(after.notes, kept), limit)
    plan = replace(after, notes=merged, unwritten=0, failures=0)
    return Compaction(plan, accepted=len(kept), dropped=dropped)


def _failed(before: WindowPlan, after: WindowPlan, failure: str, sent: Counts, calls: int) -> Compaction:
    failures = after.failures + 1
    unwritten = max(1, before.turn) if failures >= PATIENCE else after.unwritten
    plan = replace(after, failures=failures, unwritten=unwritten)
    return Compaction(plan, failure=failure, sent=sent, calls=calls)


def _requests(before: WindowPlan, after: WindowPlan, log: Log, scene: Scene) -> list[list[BaseMessage]]:
    first, last, chars = after.unwritten, after.turn - 1, scene.budget.notes_chars // 2
    seen = max(first, shown(before, log.messages).first_turn)
    sent = log.messages[: _last_request(log, after)]
    if not any(isinstance(message, HumanMessage) for message in sent):  # what left came before any question
        return chunk_requests(after.notes, log, range(first, last + 1), scene.budget)
    window = scene.window(before, sent)
    aligned = [*window.messages, aside(log, seen, last, chars)]
    size = scene.meter.request(window.counts.plus(message_counts(aligned[-1])))
    if size > scene.budget.window - scene.budget.notes_chars:
        return chunk_requests(after.notes, log, range(first, last + 1), scene.budget)
    return [*chunk_requests(after.notes, log, range(first, seen), scene.budget), aligned]


def _last_request(log: Log, after: WindowPlan) -> int:
    """Return how much of the thread the agent's last request held, or more if turns to fold lie behind it."""
    said = [p for p in log.steps(log.start(after.turn)) if isinstance(log.messages[p], AIMessage)]
    return said[-1] if said else log.start(after.turn)


def chunk_requests(notes: Sequence[Note], log: Log, turns: range, budget: Budget) -> list[list[BaseMessage]]:
    """Return requests about turns in full, in as many chunks as the window asks for; nothing is cut off unread."""
    texts = [(turn, transcript(log, turn)) for turn in turns]
    room = max(MESSAGE_CHARS, min(CHUNK_CHARS, budget.limit - 2 * budget.notes_chars))
    return [
        chunk(notes_text(notes), text, ", ".join(f"T{turn}" for turn in held), budget.notes_chars // 2)
        for held, text in pieces(texts, room)
    ]
