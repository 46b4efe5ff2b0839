"""What a thread keeps, and what a run is told."""

from dataclasses import dataclass
from typing import Annotated, Literal

from langchain_core.messages import AnyMessage
from langgraph.channels.delta import DeltaChannel
from typing_extensions import (
    TypedDict,
)  # a server reads the schemas with pydantic, which needs this one below 3.12

from nodes.log import merge_messages

RouteName = Literal["direct", "fixed"]


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
    """Tokens that the turn's model calls took, internal calls included."""

    input: int
    output: int
    cached: int


class Review(TypedDict):
    """What the citation check found in the turn's answer, in sentences."""

    sentences: int
    supported: int
    repaired: int
    dropped: int
    answered: bool
    """False when nothing of the answer was supported, or nothing was found to answer from."""


NO_USAGE = Usage(input=0, output=0, cached=0)
"""No call was made, or the provider reported nothing."""


def add_usage(total: Usage, more: Usage) -> Usage:
    """Add up the tokens of two lots of calls."""
    return Usage(
        input=total["input"] + more["input"],
        output=total["output"] + more["output"],
        cached=total["cached"] + more["cached"],
    )


class State(TypedDict, total=False):
    """The channels of a thread; all but ``messages`` speak of the newest turn."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]
    decision: Decision
    usage: Annotated[Usage, add_usage]
    review: Review


@dataclass(frozen=True, slots=True)
class Context:
    """Who asks and with what, given with each run and never stored with the thread.

    On a server the signed-in user goes before ``user_id``.
    """

    user_id: str = ""
    """Empty: nobody in particular; everything works but memory."""
    tenant: str = "default"
    collection: str = ""
    """Empty: the setting ``collection``."""
    model: str = ""
    """Empty: the setting ``chat_model``."""
