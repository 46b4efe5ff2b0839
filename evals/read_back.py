"""What became of acknowledged turns: each must stand in its thread's log once, with one answer behind it.

No checkpoint may have two successors, which is what two workers at once on a thread leave behind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.support import Support
from nodes.state import Context
from store.threads import Owner, thread_id

TENANT = "load"
THREAD = "load"
"""Name of each user's one thread."""
_SHOWN = 40


@dataclass(slots=True, kw_only=True)
class Account:
    """What went wrong; all of it must stay nought."""

    lost: int = 0
    """Acknowledged messages that are not in the log."""
    doubled: int = 0
    """Messages that stand in it more than once."""
    unanswered: int = 0
    """Acknowledged messages that have not exactly one answer."""
    forks: int = 0
    """Checkpoints with several successors."""
    seen: list[str] = field(default_factory=list)
    """What stands in the log around each acknowledged message that has not exactly one answer."""

    @property
    def fine(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.lost or self.doubled or self.unanswered or self.forks)


async def read_back(support: Support, acknowledged: Mapping[str, Sequence[str]], account: Account) -> None:
    """Add to an account what the threads of some users show.

    Args:
        support: the product.
        acknowledged: ids of acknowledged messages, by user.
        account: where it is counted.
    """
    for user, messages in acknowledged.items():
        log = await support.history(THREAD, context=Context(user_id=user, tenant=TENANT))
        said = [message.id for message in log if isinstance(message, HumanMessage)]
        account.lost += len({*messages} - {*said})
        account.doubled += len(said) - len({*said})
        wrong = [message for message in messages if not is_answered(log, message)]
        account.unanswered += len(wrong)
        account.seen += [f"{user} {message}: {_around(log, message)}" for message in wrong]
        account.forks += await _forks(support, thread_id(Owner(TENANT, user), THREAD))


def is_answered(log: Sequence[BaseMessage], message_id: str) -> bool:
    """Tell whether exactly one answer stands between a message and the next one of the user."""
    place = next((n for n, message in enumerate(log) if message.id == message_id), None)
    if place is None:
        return False
    answers = 0
    for message in log[place + 1 :]:
        if isinstance(message, HumanMessage):
            break
        answers += isinstance(message, AIMessage) and not message.tool_calls
    return answers == 1


def _around(log: Sequence[BaseMessage], message_id: str) -> str:
    """Return types, ids and first words of what stands from a message to the next one of the user."""
    place = next((n for n, message in enumerate(log) if message.id == message_id), len(log))
    following = (n for n in range(place + 1, len(log)) if isinstance(log[n], HumanMessage))
    end = next(following, len(log))
    return "; ".join(f"{m.type} {m.id} {m.text[:_SHOWN]!r}" for m in log[place : end + 1])


async def _forks(support: Support, thread: str) -> int:
    async with support.resources.pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT count(*) AS n FROM (SELECT FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = ''"
            " GROUP BY parent_checkpoint_id HAVING count(*) > 1) forked",
            (thread,),
        )
        row = await cursor.fetchone()
    return row["n"] if row else 0
