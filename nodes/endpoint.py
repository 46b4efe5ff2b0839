"""An OpenAI-compatible endpoint: its chat model, and what its failures mean to whoever waits for an answer.

Importing its client takes 0.6 s: it is reached by `nodes.models.endpoint`, which imports it when somebody needs it.
"""

import re
import warnings
from http import HTTPStatus

import openai
from langchain_core.exceptions import ContextOverflowError as TooLongError
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from store.errors import ContextOverflowError, ModelError, SupportPilotError
from store.settings import Settings

# The OpenAI client types a completion by its schema and LangChain serialises it by another, which users need not read.
warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)

UNKNOWN_METHOD = (
    openai.BadRequestError,
    openai.UnprocessableEntityError,
    openai.LengthFinishReasonError,
    openai.ContentFilterFinishReasonError,
    NotImplementedError,
    OutputParserException,
)
"""What is raised where an endpoint, or its client, does not know a way of structured output, or does not end its answer."""

_REMEDIES = (
    (
        (openai.AuthenticationError, openai.PermissionDeniedError),
        "the key is refused",
        "Check OPENAI_API_KEY.",
    ),
    ((openai.NotFoundError,), "no such model or path", "Check SUPPORTPILOT_CHAT_MODEL and OPENAI_BASE_URL."),
    ((openai.RateLimitError,), "too many requests, or no quota left", "Wait and send the message again."),
    (
        (openai.APITimeoutError, TimeoutError),
        "no answer in time",
        "Send it again, or raise SUPPORTPILOT_REQUEST_TIMEOUT.",
    ),
    (
        (openai.APIConnectionError,),
        "the endpoint is out of reach",
        "Check OPENAI_BASE_URL and that the server runs.",
    ),
    (
        (openai.APIStatusError,),
        "HTTP {error.status_code}: {error.message}",
        "Read the endpoint's own message.",
    ),
    ((Exception,), "{name}: {error}", "Check OPENAI_BASE_URL and the model's name."),
)
"""Kinds of failure, each with its cause in words and what to do; the first that fits is told."""

_WINDOW = "Set SUPPORTPILOT_BUDGET__WINDOW to what the model takes."
_TOO_LONG = re.compile(
    r"(context|prompt|input|token)\b.*(exceed|too long|maximum|limit)|exceed.*context",
    re.IGNORECASE | re.DOTALL,
)


def endpoint_model(name: str, settings: Settings) -> BaseChatModel:
    """Return a chat model of the endpoint that the settings name.

    Args:
        name: the model, as the endpoint calls it.
        settings: endpoint, key, time limit and retries.
    """
    return ChatOpenAI(
        model=name,
        base_url=settings.openai_base_url,
        api_key=settings.openai_api_key or SecretStr("none"),  # local endpoints ask for none
        temperature=0,
        timeout=settings.request_timeout,
        stream_chunk_timeout=settings.request_timeout,  # its own default would give up before a slow model begins
        max_retries=settings.request_retries,
        use_responses_api=False,
        stream_usage=True,
    )


def model_error(error: Exception) -> ModelError | None:
    """Return what a failed call is told as, with the remedy; nothing for an error of the product, which tells it itself.

    LangChain and the client wrap little of what an endpoint's answer can break: what is no completion comes as
    `AttributeError`, `AssertionError` or `TypeError`, arguments that are nested without end as `RecursionError`.
    """
    if isinstance(error, SupportPilotError):
        return None
    if _too_long(error):
        return ContextOverflowError(told(f"the request is too long for it ({error})", _WINDOW))
    return ModelError(told(*_cause(error)))


def told(cause: str, remedy: str) -> str:
    """Return the message of an error of the model."""
    return f"The chat model failed: {cause}. {remedy} Your message is kept; SUPPORTPILOT_CHAT_MODEL=offline needs no endpoint."


def _too_long(error: Exception) -> bool:
    """Tell a refusal for length, which no two servers word alike, from other refusals."""
    refused = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError) or (
        isinstance(error, openai.APIStatusError) and error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    )
    return isinstance(error, TooLongError) or (refused and bool(_TOO_LONG.search(str(error))))


def _cause(error: Exception) -> tuple[str, str]:
    """Return why a call failed, and what to do about it."""
    cause, remedy = next(told for kinds, *told in _REMEDIES if isinstance(error, kinds))
    return cause.format(error=error, name=type(error).__name__), remedy
