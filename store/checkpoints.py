"""Short-term state: LangGraph's Postgres saver, fit for many turns at once and for a server's rollback."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from secrets import token_hex
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.base import id as uuids
from langgraph.checkpoint.postgres import aio
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import ERROR
from psycopg import AsyncCursor
from psycopg.rows import DictRow

from store.postgres import Pool
from store.threads import check_held

ERROR_SOURCE_NODE = "__error_source_node__"
"""Channel of the name of a failed node that has a handler; LangGraph keeps the constant to itself."""

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

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a step did; of one that failed, only that it did.

        A step fails in its edges as well, which run when what its node returned is written already. LangGraph takes a
        step of which there is anything but the error for one that ended, so a turn that goes on would end there:
        nothing says what comes next.

        Args:
            config: names the checkpoint that the step began at.
            writes: channels, and what is written to them.
            task_id: the step's.
            task_path: its place among those that run beside it.
        """
        failure = [write for write in writes if write[0] in {ERROR, ERROR_SOURCE_NODE}]
        await super().aput_writes(config, failure or writes, task_id, task_path)

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

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        async with super()._cursor(pipeline=pipeline) as cursor:
            check_held()
            yield cursor


def _not_before(checkpoint_id: str) -> None:
    """Let LangGraph's ids (UUID, version 6) go on from one, as they go on from those of this process."""
    made = vars(uuids)
    made["_last_v6_timestamp"] = max(made["_last_v6_timestamp"] or 0, uuids.UUID(checkpoint_id).time)
