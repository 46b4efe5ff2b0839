"""Short-term state: LangGraph's Postgres saver, fit for many turns at once and for a server's rollback."""

from collections.abc import Iterable
from contextlib import nullcontext

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from store.postgres import Pool


class Checkpointer(AsyncPostgresSaver):
    """``AsyncPostgresSaver`` on a pool, without its one-call-at-a-time lock, and with rollback.

    The parent guards its one connection with one lock, also where it has a pool: all threads of a process
    then wait for each other at every database call. Here each call takes a connection of its own.
    """

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool)
        self.lock = nullcontext()  # type: ignore[assignment]  # entered like the lock it replaces

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
