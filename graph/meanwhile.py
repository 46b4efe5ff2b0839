"""What was said in a thread while its user was away: what became of requests, and what a person answered."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from nodes.log import current_turn


def said_meanwhile(log: Sequence[BaseMessage]) -> list[str]:
    """Return what was said since the reply to the message before the newest one.

    That reply was the turn's first answer; where the turn stopped for an approval, or a person had the thread, it was
    a notice that the log does not hold, and all that was said is new.

    Args:
        log: the thread's, the newest message included.
    """
    earlier = log[: len(log) - len(current_turn(log))]
    turn = current_turn(earlier)
    said = [m for m in turn if isinstance(m, AIMessage) and m.text.strip() and not m.tool_calls]
    noticed = _stopped(turn) or (bool(said) and "author" in said[0].additional_kwargs)
    return [message.text for message in said[0 if noticed else 1 :]]


def _stopped(turn: Sequence[BaseMessage]) -> bool:
    """Tell whether a turn waited for a person's decision, which came."""
    own = {call["id"] for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
    return any(
        isinstance(m, ToolMessage)
        and m.tool_call_id in own
        and (m.artifact or {}).get("became", {}).get("status") not in {None, "waiting", "not possible"}
        for m in turn
    )
