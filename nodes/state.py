"""What a thread keeps, and what a run is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from langchain_core.messages import AnyMessage
from langgraph.channels.delta import DeltaChannel
from typing_extensions import (
    TypedDict,
)  # a server reads the schemas with pydantic, which needs this one below 3.12

from nodes.log import merge_messages
from store.arguments import check_type
from store.errors import ConfigError

RouteName = Literal["direct", "fixed", "agentic"]


class Decision(TypedDict):
    """How the turn is answered and why."""

    route: RouteName
    reason: str
    question: str
    """The standalone question that is searched for; empty when nothing is."""
    confidence: float | None
    """Confidence of the best passage, in [0, 1]; ``None`` before or without retrieval."""
    answerable: bool
    """Whether the model is to answer: small talk, or passages that are good enough."""


class Usage(TypedDict):
    """What the turn's model calls took, internal calls included: how many they were, and their tokens."""

    calls: int
    input: int
    output: int
    cached: int


class Review(TypedDict):
    """What the citation check found in the turn's answer, in sentences."""

    sentences: int
    supported: int
    repaired: int
    dropped: int
    open: list[str]
    """Questions of the message that the answer leaves out, which were named as open behind it."""
    answered: bool
    """False when nothing of the answer was supported, or nothing was found to answer from."""


NO_USAGE = Usage(calls=0, input=0, output=0, cached=0)
"""No call was made."""


def add_usage(total: Usage, more: Usage) -> Usage:
    """Add up what two lots of calls took."""
    return Usage(
        calls=total["calls"] + more["calls"],
        input=total["input"] + more["input"],
        output=total["output"] + more["output"],
        cached=total["cached"] + more["cached"],
    )


class Move(TypedDict):
    """A move of the window plan that no call has used yet."""

    before: dict[str, Any]
    """The plan of the last call."""
    accepted: int
    """Lines of notes that came of the move."""
    dropped: int
    failure: str
    """Why there are no new notes; empty if there are, or none were asked for."""


def merge_fronts(fronts: dict[str, str], writes: Sequence[dict[str, str]]) -> dict[str, str]:
    """Add what stands in front of questions; the reducer of a ``DeltaChannel``."""
    return {key: text for some in (fronts, *writes) for key, text in some.items()}


def append_calls(calls: list[dict[str, Any]], writes: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Append call records; the reducer of a ``DeltaChannel``."""
    return [*calls, *(record for some in writes for record in some)]


SNAPSHOT = 24
"""Updates of a channel that grows by one a turn, between two writes of it as a whole. Reading a thread goes back to the
oldest of its channels' last snapshots; the log, with four updates a turn and LangGraph's hundred, has one as often."""


class Incoming(TypedDict, total=False):
    """What a run may bring: a message. The other channels are the graph's own."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]


class State(Incoming, total=False):
    """The channels of a thread.

    What grows with the thread (``messages``, ``fronts``, ``calls``) is stored as what was added, and as a whole every
    `SNAPSHOT` turns.
    """

    decision: Decision
    usage: Annotated[Usage, add_usage]
    review: Review
    steps: int
    """Model steps of the newest turn so far."""
    plan: dict[str, Any]
    """The window plan (`nodes.window.WindowPlan.to_dict`)."""
    move: Move | None
    """Set from a move of the plan to the call that uses it."""
    sent: int
    """How many messages the log had at the last call."""
    meter: dict[str, Any]
    """The last reported usage (`nodes.window.Usage.to_dict`)."""
    fronts: Annotated[dict[str, str], DeltaChannel(merge_fronts, dict, snapshot_frequency=SNAPSHOT)]
    """Id of a question → what stood in front of it."""
    calls: Annotated[list[dict[str, Any]], DeltaChannel(append_calls, snapshot_frequency=SNAPSHOT)]
    """One record a model call (`nodes.window.CallRecord.to_dict`)."""
    recalled: list[str]
    """Memories recalled for the newest question, the most important first."""
    user_zone: str
    """Preferences and profile as they are now, the most important line first."""
    asker: dict[str, str]
    """Tenant and user of the newest turn, who stay the same when a person of the staff lets it go on."""
    ticket: int | None
    """The ticket by which a person has the thread."""


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks and with what, given with each run and never stored with the thread.

    On a server the signed-in user goes before ``user_id``.

    Raises:
        MalformedError: a name is no text.
        ConfigError: the budget is no dict.
    """

    user_id: str = ""
    """Empty: nobody in particular; everything works but memory."""
    tenant: str = "default"
    role: Literal["user", "staff"] = "user"
    """``staff`` may decide on the requests of other users of the tenant, and take over their threads."""
    collection: str = ""
    """Empty: the setting ``collection``."""
    model: str = ""
    """Empty: the setting ``chat_model``."""
    budget: dict[str, Any] = field(default_factory=dict)
    """Fields of `nodes.window.Budget` that go before the setting ``budget``."""

    def __post_init__(self) -> None:
        for name in ("user_id", "tenant", "role", "collection", "model"):
            check_type(name, getattr(self, name), str)
        budget: object = self.budget
        if not (isinstance(budget, dict) and all(isinstance(name, str) for name in budget)):
            raise ConfigError(
                f"budget={self.budget!r} holds no fields by name. Give a dict; `supportpilot budget` lists the fields."
            )
