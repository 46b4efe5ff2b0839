"""What the tools of a turn work on: who asks, where, and what the thread holds. None of it is an argument."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from nodes.identity import asker, run_context
from nodes.state import Context, State
from store.resources import Resources, resources
from store.sample import collection_in_use
from store.threads import Owner

Tier = Literal["read", "notify", "write"]
"""``read`` changes nothing; ``notify`` tells people and runs by itself; ``write`` acts, once a person approved."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the tools of a turn work on.

    Attributes:
        opened: settings, database, knowledge index.
        owner: tenant and user who asks; a tool never takes them from a model.
        named: the collection that the run names; empty: the one in use.
        thread: id of the thread; empty without a checkpointer.
        log: every message of the thread.
        model: name of the chat model; empty: the setting.
        plan: the thread's window plan as it is stored; empty before its first call.
        budget: fields of the window's budget that differ from the defaults.
    """

    opened: Resources
    owner: Owner
    named: str
    thread: str
    log: Sequence[BaseMessage]
    model: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    budget: Mapping[str, Any] = field(default_factory=dict)

    async def collection(self) -> str:
        """Return the help centre that is asked."""
        return await collection_in_use(self.opened.knowledge, self.opened.settings, self.named)


async def turn_of(state: State, runtime: Runtime[Context]) -> Turn:
    """Return what the tools of the running turn work on."""
    opened, context = await resources(), run_context(runtime)
    info = runtime.execution_info
    return Turn(
        opened=opened,
        owner=asker(state, runtime),
        named=context.collection,
        thread=(info and info.thread_id) or "",
        log=state.get("messages", []),
        model=context.model,
        plan=state.get("plan", {}),
        budget={**opened.settings.budget, **context.budget},
    )


def tier_of(tool: BaseTool) -> Tier:
    """Return the tier of a tool; one that names none acts only when a person has approved it."""
    named: Tier = (tool.metadata or {}).get("tier", "write")
    return named


def tier(of: Tier) -> dict[str, Any]:
    """Return the metadata of a tool of a tier."""
    return {"tier": of}
