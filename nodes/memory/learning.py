"""What the assistant learns from turns: confirmed facts of those that left the window, and reflections."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from nodes.memory.extraction import Said
from nodes.memory.outcomes import Turn, facts, reflections
from nodes.passages import passages_in
from nodes.review import checked
from store.memory import Memory


async def learned(
    turns: Sequence[Turn], gone: Sequence[Turn], said: Sequence[Said], log: Sequence[AnyMessage]
) -> list[Memory]:
    """Return the facts and reflections that the turns give.

    Args:
        turns: all turns of the thread.
        gone: those that left the window and were not searched before.
        said: the messages that were not read before; the turn in front of the first one is looked at again, for a
            correction comes one turn later.
        log: the thread's messages.
    """
    new = {one.message_id for one in said}
    first = next((n for n, turn in enumerate(turns) if turn.question.id in new), len(turns))
    found = reflections(turns[max(0, first - 1) :]) if new else []
    given = passages_in(log)
    for turn in gone:
        if turn.answer is not None:
            answer = await checked(_up_to(log, turn), turn.answer.text)
            found += facts(turn, answer.verified, given)
    return found


def _up_to(log: Sequence[AnyMessage], turn: Turn) -> list[AnyMessage]:
    """Return the log up to the end of a turn, as it was when the turn was answered."""
    end = next(place for place, message in enumerate(log) if message is turn.messages[-1])
    return list(log[: end + 1])
