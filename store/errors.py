"""The errors that callers can tell apart. Every message names the value and the remedy."""

from typing import Literal


class SupportPilotError(Exception):
    """Base of every error that the product raises on purpose."""


class ConfigError(SupportPilotError):
    """A setting is missing, malformed or contradicts another."""


class StoreError(SupportPilotError):
    """Postgres is out of reach, refuses a value or holds another version of the schema."""


class IngestError(SupportPilotError):
    """A document or a folder cannot be ingested."""


class RetrievalError(SupportPilotError):
    """The knowledge index cannot be searched, or its embedder or reranker fails."""


class ModelError(SupportPilotError):
    """The chat model is out of reach, refuses the call or answers with something unusable."""


class AnsweredError(SupportPilotError):
    """A message is sent again after which the conversation went on."""


class NotFoundError(StoreError):
    """What somebody asks for is not there, or not theirs; the two look alike from outside."""


class MalformedError(StoreError):
    """A value that somebody gives has not the form in which it is kept."""


class LimitError(SupportPilotError):
    """Somebody sends more than one user may."""


class MessageTooLongError(LimitError):
    """A message has more characters than are read."""


class ContextOverflowError(ModelError):
    """The chat model refuses a request as too long."""


class AccessDeniedError(SupportPilotError):
    """Somebody asks for a thread, a memory or an action that is not theirs."""


Refusal = Literal[
    "not signed in", "no subscription", "no such invoice", "invoice reissued", "invoice too old", "one waits"
]
"""Why an action is refused, where the user is told."""


class ActionRefusedError(SupportPilotError):
    """The business system does not do what was asked of it; the message says why.

    Attributes:
        why: the same for the user; nothing where it is the model or the staff that has to act otherwise.
    """

    def __init__(self, message: str, why: Refusal | None = None) -> None:
        """Refuse an action."""
        super().__init__(message)
        self.why = why


class ToolError(SupportPilotError):
    """A call that cannot be carried out; the message is for the model and says how to do it right."""
