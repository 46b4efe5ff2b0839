"""The product from code: a few lines that open everything and answer on a thread."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from graph.builder import Graph, compile_graph
from graph.reply import Reply, notice, reply_of
from graph.turn import Turn, standing
from graph.worker import drain_threads, worker
from nodes.events import Event
from nodes.state import Context
from store.arguments import check_name, check_type
from store.embedding import Progress
from store.limits import check_length
from store.persistence import open_persistence
from store.postgres import typed_errors
from store.resources import Resources, open_resources
from store.sample import collection_in_use, ensure_sample
from store.settings import Settings, settings
from store.storable import storable
from store.threads import Owner, claim, resolve_thread
from store.turn_lock import turn_lock

_MOST_LEFT = 64
"""More threads than can be read in the time that there is at the end; older ones are read once they are quiet."""


@dataclass(frozen=True, slots=True)
class Support:
    """The graph with its saver and store, one turn at a time on each thread.

    ``graph`` is the compiled graph itself. Calls on it neither take the thread's lock nor check its owner:
    two runs on one thread at once then lose a turn.
    """

    graph: Graph
    resources: Resources
    left: deque[str] = field(default_factory=lambda: deque(maxlen=_MOST_LEFT))
    """Threads of known users that had a turn last, the newest at the end; read for memories when everything is closed."""

    async def ask(
        self, text: str, *, thread: str = "", context: Context | None = None, message_id: str = ""
    ) -> Reply:
        """Answer a message on a thread.

        Args:
            text: what the user writes.
            thread: a name of the user's own, or a thread id (a UUID); empty: a new thread.
            context: who asks, which collection and model.
            message_id: the message's own id. The same message sent again, also to another process, is not
                answered twice: a turn that broke off goes on from its last step, one that ended gives its reply.

        Raises:
            AccessDeniedError: the thread belongs to another user.
            MalformedError: an argument has not its type; the name of tenant, user or thread, or the message's id,
                holds NUL or a lone surrogate; or the id is that of an answer in the thread.
            AnsweredError: the message was received before, and the conversation went on since.
            LimitError: the message is too long; nothing of it is kept.
            ModelError: the model fails; the message is kept and the thread goes on.
            RetrievalError: the collection is not there, or its index fails.
        """
        events = [
            event async for event in self.stream(text, thread=thread, context=context, message_id=message_id)
        ]
        return next(event for event in events if isinstance(event, Reply))

    async def stream(
        self, text: str, *, thread: str = "", context: Context | None = None, message_id: str = ""
    ) -> AsyncGenerator[str | Event | Reply]:
        """Answer like ``ask``, and yield the answer's text as it comes, events beside it, then the reply.

        A citation comes in one piece, and only with the id of a passage that the thread was given. The text
        is the model's own; where the check of it changed something, an event ``revised`` brings the answer
        that stands, and the reply has it too.
        """
        began = perf_counter()
        check_length(text, self.resources.settings)
        context, owner = asked_by(context)
        thread_uuid = resolve_thread(owner, thread)
        check_name("Message id", message_id)
        with typed_errors():
            await claim(self.resources.pool, thread_uuid, owner, thread)
            async with turn_lock(self.resources.locks, thread_uuid) as held:
                stands, turn = await self._before(thread_uuid, message_id)
                if stands != "ended":
                    message = HumanMessage(storable(text), id=message_id or str(uuid4()))
                    run = turn.run(
                        message if stands == "new" else None,
                        graph=self.graph,
                        resources=self.resources,
                        config=config_of(thread_uuid),
                        context=context,
                    )
                    async with aclosing(held.over(run)) as events:
                        async for event in events:
                            yield event
        if owner.user_id:
            self._leave(thread_uuid)
        if said := notice(turn.values, turn.waiting):
            yield said
        opened = self.resources
        with typed_errors():
            collection = await collection_in_use(opened.knowledge, opened.settings, context.collection)
        yield reply_of(
            turn.values,
            turn.waiting,
            thread_id=thread_uuid,
            collection=collection,
            model=context.model or opened.settings.chat_model,
            latency_ms=round((perf_counter() - began) * 1000),
        )

    def _leave(self, thread_uuid: str) -> None:
        """Note that a thread had the newest turn."""
        if thread_uuid in self.left:
            self.left.remove(thread_uuid)
        self.left.append(thread_uuid)

    async def state(self, thread_uuid: str) -> Mapping[str, Any]:
        """Return the state of a thread; empty when nothing was said there."""
        snapshot = await self.graph.aget_state(config_of(thread_uuid))
        return snapshot.values

    async def _before(
        self, thread_uuid: str, message_id: str
    ) -> tuple[Literal["new", "begun", "ended"], Turn]:
        """Return how far the turn of a message came; a message without an id of its own is always a new one."""
        if not message_id:
            return "new", Turn()
        before = await self.graph.aget_state(config_of(thread_uuid))
        return standing(before, message_id), Turn.of(before)

    async def history(self, thread: str, *, context: Context | None = None) -> list[BaseMessage]:
        """Return the log of a user's thread, oldest message first.

        Raises:
            AccessDeniedError: the thread belongs to another user.
            MalformedError: an argument has not its type, or a name holds NUL or a lone surrogate.
        """
        context, owner = asked_by(context)
        thread_uuid = resolve_thread(owner, thread)
        with typed_errors():
            await claim(self.resources.pool, thread_uuid, owner, thread)
            return list((await self.state(thread_uuid)).get("messages", []))


@asynccontextmanager
async def open_support(
    configured: Settings | None = None, *, progress: Progress | None = None
) -> AsyncIterator[Support]:
    """Open database, index and graph, ready to answer; an empty database gets the sample help centre.

    Unless the setting ``worker`` is off, quiet conversations are read for memories meanwhile, and those that
    were just left at the end.

    Example:
        ```python
        async with open_support() as support:
            reply = await support.ask("年付套餐买错了能退款吗", thread="first", context=Context(user_id="ann"))
            print(reply.answer, reply.thread_id)
        ```

    Args:
        configured: settings; default: those of the environment.
        progress: told how far the embedding of the sample is.

    Raises:
        ConfigError: a setting is wrong, or there is no database.
        StoreError: the database is out of reach.
    """
    configured = configured or settings()
    async with (
        open_persistence(configured) as (pool, saver, memories),
        open_resources(configured, pool, memories) as opened,
    ):
        await ensure_sample(opened.knowledge, progress)
        support = Support(compile_graph(checkpointer=saver, store=memories), opened)
        if not configured.worker:
            yield support
            return
        async with worker(opened):
            yield support
        if support.left:
            await drain_threads(opened, list(support.left))


@asynccontextmanager
async def open_knowledge_only(configured: Settings) -> AsyncIterator[Resources]:
    """Open database and index, for commands that answer nothing."""
    async with (
        open_persistence(configured) as (pool, _saver, memories),
        open_resources(configured, pool, memories) as opened,
    ):
        yield opened


def asked_by(context: Context | None) -> tuple[Context, Owner]:
    """Return what a call asks with, and who asks.

    Raises:
        MalformedError: it is no `Context`, or its tenant or user is a name that cannot be kept.
    """
    context = Context() if context is None else context
    check_type("Context", context, Context)
    return context, Owner(context.tenant, context.user_id)


def config_of(thread_uuid: str) -> RunnableConfig:
    """Return the config that names a thread."""
    return {"configurable": {"thread_id": thread_uuid}}
