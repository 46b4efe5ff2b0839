"""Short-term state: LangGraph's Postgres saver, fit for many turns at once and for a server's rollback."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from secrets import token_hex
from typing import Any, LiteralString

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.base import id as uuids
from langgraph.checkpoint.postgres import aio
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import ERROR, _DeltaSnapshot
from psycopg import AsyncCursor
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from store.postgres import Pool
from store.snapshots import SERIALIZER
from store.turn_lock import check_held

ERROR_SOURCE_NODE = "__error_source_node__"
"""Channel of the name of a failed node that has a handler; LangGraph keeps the constant to itself."""

aio._DELTA_PAGE_SIZE = 128  # type: ignore[attr-defined]  # noqa: SLF001  # there is no setting for it
"""Checkpoints that are looked through at once for the last snapshot of a thread's channels, in place of 1,024: half of
what lies between two snapshots. Each one looked through takes some 60 microseconds in the database."""


_PUT_WRITES: LiteralString = """
INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)
SELECT %(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s, %(task)s, %(path)s, *
FROM unnest(%(places)s::int[], %(channels)s::text[], %(types)s::text[], %(values)s::bytea[])
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id, task_id, idx) """
_REPLACING: LiteralString = (
    "DO UPDATE SET channel = excluded.channel, type = excluded.type, blob = excluded.blob"
)
_PUT: LiteralString = """
WITH written AS (
    INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    SELECT %(thread_id)s, %(checkpoint_ns)s, *
    FROM unnest(%(channels)s::text[], %(versions)s::text[], %(types)s::text[], %(values)s::bytea[])
    ON CONFLICT DO NOTHING
)
INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
VALUES (%(thread_id)s, %(checkpoint_ns)s, %(checkpoint_id)s, %(parent)s, %(checkpoint)s, %(metadata)s)
ON CONFLICT (thread_id, checkpoint_ns, checkpoint_id)
DO UPDATE SET checkpoint = excluded.checkpoint, metadata = excluded.metadata
"""


class Checkpointer(AsyncPostgresSaver):
    """``AsyncPostgresSaver`` on a pool, without its one-call-at-a-time lock, and with rollback.

    The parent guards its one connection with one lock, also where it has a pool: all threads of a process
    then wait for each other at every database call. Here each call takes a connection of its own, and a step's writes
    or a checkpoint are one statement, in place of one for each row in a pipeline, prepared in a thread.

    Versions of channels end with eight random digits instead of eighteen: every checkpoint names some fifty of
    them, and random digits are what does not compress in it.
    """

    def __init__(self, pool: Pool) -> None:
        super().__init__(pool, serde=SERIALIZER)
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
        kept = [write for write in writes if write[0] in {ERROR, ERROR_SOURCE_NODE}] or writes
        named = config["configurable"]
        rows = [
            (WRITES_IDX_MAP.get(channel, place), channel, *self.serde.dumps_typed(value))
            for place, (channel, value) in enumerate(kept)
        ]
        controls = all(channel in WRITES_IDX_MAP for channel, _ in kept)
        await self._execute(
            _PUT_WRITES + (_REPLACING if controls else "DO NOTHING"),
            {
                **_names(named, named["checkpoint_id"]),
                "task": task_id,
                "path": task_path,
                **_columns(rows, "places", "channels", "types", "values"),
            },
        )

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, and what is new of its channels, in one statement.

        Args:
            config: names the checkpoint before it.
            checkpoint: the new one.
            metadata: what is told of it.
            new_versions: versions of the channels that it changed.

        Returns:
            A config that names it.
        """
        values = dict(checkpoint["channel_values"])
        apart = {name: value for name, value in values.items() if not _is_plain(value)}
        for name, value in apart.items():
            if isinstance(value, _DeltaSnapshot):
                values[name] = True  # says that there is one
            else:
                del values[name]
        rows = [
            (name, str(version), *self.serde.dumps_typed(apart[name]))
            for name, version in new_versions.items()
            if name in apart
        ]
        named = config["configurable"]
        await self._execute(
            _PUT,
            {
                **_names(named, checkpoint["id"]),
                "parent": named.get("checkpoint_id"),
                "checkpoint": Jsonb({**checkpoint, "channel_values": values}),
                "metadata": Jsonb(get_serializable_checkpoint_metadata(config, metadata)),
                **_columns(rows, "channels", "versions", "types", "values"),
            },
        )
        return {"configurable": _names(named, checkpoint["id"])}

    async def _execute(self, statement: LiteralString, values: Mapping[str, object]) -> None:
        async with self._cursor() as cursor:
            await cursor.execute(statement, values)

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


def _names(named: Mapping[str, Any], checkpoint_id: str) -> dict[str, str]:
    """Return what names a checkpoint, as LangGraph's config and the statements call it."""
    return {
        "thread_id": named["thread_id"],
        "checkpoint_ns": named.get("checkpoint_ns", ""),
        "checkpoint_id": checkpoint_id,
    }


def _columns(rows: Sequence[tuple[object, ...]], *names: str) -> dict[str, list[object]]:
    """Return rows as arrays, one a column, which one statement writes without a message for each row."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _is_plain(value: object) -> bool:
    """Tell what stands in the checkpoint itself, as LangGraph reads it."""
    return value is None or isinstance(value, str | int | float | bool)


def _not_before(checkpoint_id: str) -> None:
    """Let LangGraph's ids (UUID, version 6) go on from one, as they go on from those of this process."""
    made = vars(uuids)
    made["_last_v6_timestamp"] = max(made["_last_v6_timestamp"] or 0, uuids.UUID(checkpoint_id).time)
