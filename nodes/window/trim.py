"""Trimming: leave out the oldest turns whole, never part of one."""

from collections.abc import Callable, Sequence

from langchain_core.messages import BaseMessage, SystemMessage

from nodes.window.log import Log
from nodes.window.tokens import message_tokens


def trim_history(
    messages: Sequence[BaseMessage],
    budget: int,
    *,
    count: Callable[[BaseMessage], int] = message_tokens,
) -> list[BaseMessage]:
    """Keep the system messages and the newest turns that fit; the newest turn stays whatever it takes.

    Args:
        messages: the whole conversation, system messages included.
        budget: tokens that the result may take.
        count: tokens of a message.
    """
    log = Log.of(messages)
    room = budget - sum(count(messages[position]) for position in log.systems)
    kept = log.last_turn
    for turn in range(log.last_turn, log.first_turn - 1, -1):
        room -= sum(map(count, log.turn(turn)))
        if room < 0:
            break
        kept = turn
    return keep_from(log, kept)


def keep_from(log: Log, turn: int) -> list[BaseMessage]:
    """Return a log's system messages and its turns from one on, in their order."""
    begin = log.start(turn)
    return [
        message
        for position, message in enumerate(log.messages)
        if position >= begin or isinstance(message, SystemMessage)
    ]
