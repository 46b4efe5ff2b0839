"""Short-term state: LangGraph's Postgres saver, fit for many turns at once and for a server's rollback."""

from collections.abc import Iterable
from contextlib import nullcontext
from secrets import token_hex

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.base import id as uuids
from langgraph.checkpoint.postgres import aio
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from store.postgres import Pool

aio._DELTA_PAGE_SIZE = 128  # type: ignore[attr-defined]  # noqa: SLF001  # there is no setting for it
"""Checkpoints that are looked through at once for the last snapshot of a thread's channels, in place of 1,024: half of
what lies between two snapshots. Each one looked through takes some 60 microseconds in the database."""


class Checkpointer(AsyncPostgresSaver):
    """``AsyncPostgresSaver`` on a pool, without its one-call-at-a-time lock, and with rollback.

    The parent guards its one connection with one lock, also where it has a pool: all threads of a process
    then wait for each other at every database call. Here each call takes a connection of its own.

    Versions of channels end with eight random digits instead of eighteen: every checkpoint names some fifty of
    them, and random digits are what does not compress in it.
    """

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.lock = nullcontext()  # type: ignore[assignment]  # entered like the lock it replaces

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a channel's next version, greater than the one before and unlike that of another fork.

        Args:
            current: the version before; None at the first write.
            channel: not used.
        """
        number = super().get_next_version(current, channel).partition(".")[0]
        return f"{number}.{token_hex(4)}"

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a thread's newest checkpoint, or the one that is named; ids that are made from now on come after it.

        An id is a time, and the highest is the newest. A process whose clock is behind the one that wrote the thread,
        or was set back, would otherwise add checkpoints that nobody finds.
        """
        found = await super().aget_tuple(config)
        if found is not None:
            _not_before(found.checkpoint["id"])
        return found

    async def adelete_for_runs(self, run_ids: Iterable[str]) -> None:
        """Delete the checkpoints of some runs; a server needs it for ``multitask_strategy="rollback"``.

        Args:
            run_ids: the runs, as their checkpoints' metadata name them.
        """
        ids = [str(run_id) for run_id in run_ids]
        async with self._cursor(pipeline=True) as cursor:
            await cursor.execute(
                "DELETE FROM checkpoint_writes w USING checkpoints c WHERE w.thread_id = c.thread_id"
                " AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id"
                " AND c.metadata->>'run_id' = ANY(%s)",
                (ids,),
            )
            await cursor.execute("DELETE FROM checkpoints WHERE metadata->>'run_id' = ANY(%s)", (ids,))


def _not_before(checkpoint_id: str) -> None:
    """Let LangGraph's ids (UUID, version 6) go on from one, as they go on from those of this process."""
    made = vars(uuids)
    made["_last_v6_timestamp"] = max(made["_last_v6_timestamp"] or 0, uuids.UUID(checkpoint_id).time)
