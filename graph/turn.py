"""One turn on a thread: a run of the graph, what its user is told meanwhile, and the state that it leaves."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Interrupt, StateSnapshot

from graph.builder import Graph
from graph.speech import Spoken
from nodes.events import Event
from nodes.hitl import ActionRequest
from nodes.log import current_turn
from nodes.passages import passages_in
from nodes.state import Context
from store.errors import AnsweredError, MalformedError
from store.resources import Resources, using

_INTERRUPTS = "__interrupt__"
"""Where LangGraph's stream mode ``values`` puts the interrupts at which a run stops."""


@dataclass(slots=True)
class Turn:
    """Where a turn stands. A run tells it, so that the thread need not be read from the database again."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """The thread's channels."""
    interrupts: tuple[Interrupt, ...] = ()

    @classmethod
    def of(cls, snapshot: StateSnapshot) -> "Turn":
        """Return where a thread's newest turn stood when it was read."""
        return cls(snapshot.values, snapshot.interrupts)

    @property
    def waiting(self) -> list[ActionRequest]:
        """The requests for approval at which the turn stands."""
        return [action for one in self.interrupts for action in one.value["action_requests"]]

    async def run(
        self,
        message: HumanMessage | None,
        *,
        graph: Graph,
        resources: Resources,
        config: RunnableConfig,
        context: Context,
    ) -> AsyncGenerator[str | Event]:
        """Run the graph; yield the answer's text as it comes, and events beside it.

        Args:
            message: the user's; None lets a turn that broke off go on.
            graph: with its checkpointer.
            resources: what the nodes work with.
            config: names the thread.
            context: who asks, which collection and model.
        """
        run = graph.astream(
            None if message is None else {"messages": [message]},
            config,
            context=context,
            stream_mode=["values", "messages", "custom"],
            durability="sync",
        )
        spoken: Spoken | None = None
        async with aclosing(using(resources, run)) as events:
            async for mode, event in events:
                if mode == "values":  # the first one, before any node has run, is the thread as it was
                    self._reached(cast("Mapping[str, Any]", event))
                    spoken = spoken or Spoken(passages_in(self.values["messages"]))
                elif mode == "custom":
                    yield cast("Event", event)
                elif spoken:
                    chunk, metadata = cast("tuple[BaseMessage, Mapping[str, Any]]", event)
                    if shown := spoken.take(chunk, str(metadata["langgraph_node"])):
                        yield shown
        if spoken and (rest := spoken.close()):
            yield rest

    def _reached(self, values: Mapping[str, Any]) -> None:
        self.values = {name: value for name, value in values.items() if name != _INTERRUPTS}
        self.interrupts = values.get(_INTERRUPTS, ())


def standing(before: StateSnapshot, message_id: str) -> Literal["new", "begun", "ended"]:
    """Tell how far the turn of a message came.

    Raises:
        AnsweredError: another turn came after it, whether it was answered or not.
        MalformedError: the id is not that of a user's message.
    """
    log = before.values.get("messages", [])
    found = next((message for message in log if message.id == message_id), None)
    if found is None:
        return "new"
    if not isinstance(found, HumanMessage):
        raise MalformedError(
            f"Message id {message_id!r} is that of an answer in this thread. Give the message one of its own."
        )
    if current_turn(log)[0].id != message_id:
        raise AnsweredError(
            f"Message {message_id!r} was received before, and the conversation went on after it. Read its history."
        )
    # Not `next`: it leaves out a step whose writes are stored and whose checkpoint is not.
    return "begun" if before.tasks else "ended"
