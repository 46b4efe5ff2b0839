"""Chat models: the offline one or any OpenAI-compatible endpoint, and calls that fail with a typed error."""

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, TypeVar

from langchain_core.exceptions import ContextOverflowError as TooLongError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, SecretStr

from nodes.offline.model import OfflineChatModel
from nodes.state import NO_USAGE, Usage
from nodes.storable import storable
from store.embedding import open_embedder
from store.errors import ConfigError, ContextOverflowError, ModelError
from store.settings import Settings

OFFLINE = "offline"
# The OpenAI client types a completion by its schema and LangChain serialises it by another, which users need not read.
warnings.filterwarnings("ignore", message="Pydantic serializer warnings", category=UserWarning)

Schema = TypeVar("Schema", bound=BaseModel)
Answer = TypeVar("Answer", bound=BaseModel)


def chat_model(settings: Settings, name: str = "") -> BaseChatModel:
    """Return the chat model of a name; one object a name and process, so that its connections are kept.

    Args:
        settings: endpoint, key, time limit and retries.
        name: the model; empty: the setting ``chat_model``; ``offline``: the built-in one.

    Raises:
        ConfigError: the model is an endpoint's, and the settings name neither a key nor an endpoint.
    """
    return _model(name or settings.chat_model, settings)


@lru_cache(maxsize=32)
def _model(name: str, settings: Settings) -> BaseChatModel:
    if name == OFFLINE:
        return OfflineChatModel(embedder=open_embedder(settings))
    if settings.openai_base_url is None and settings.openai_api_key is None:
        raise ConfigError(
            f"Model {name!r} needs a key or an endpoint. Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that asks "
            "for none; SUPPORTPILOT_CHAT_MODEL=offline needs neither."
        )
    from langchain_openai import ChatOpenAI  # noqa: PLC0415 - takes 0.6 s, and only who has an endpoint needs it

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


def _failures() -> tuple[type[Exception], ...]:
    """Return what a call raises.

    The second where a stream falls silent, the third where arguments are nested without end, the others where what
    comes is no completion (LangChain and the client do not wrap these).
    """
    import openai  # noqa: PLC0415 - as above

    return openai.OpenAIError, TimeoutError, RecursionError, ValueError, TypeError, LookupError


async def invoke(
    model: Runnable[list[BaseMessage], BaseMessage], messages: Sequence[BaseMessage]
) -> AIMessage:
    """Call a chat model; its reply holds nothing that Postgres does not take.

    Raises:
        ContextOverflowError: the endpoint refuses the request as too long.
        ModelError: the endpoint is out of reach, refuses the call or sends nothing usable; the message says
            what to do about it.
    """
    try:
        reply = _cleaned(await model.ainvoke(list(messages)))
    except _failures() as error:
        raise (ContextOverflowError if _too_long(error) else ModelError)(_remedy(error)) from error
    if not isinstance(reply, AIMessage):
        raise ModelError(f"The model answered with a {type(reply).__name__}, not with a message of its own.")
    if _broke_off(reply.response_metadata):
        raise ModelError(_told("the answer broke off", "Send the message again."))
    return reply


def _broke_off(metadata: Mapping[str, Any]) -> bool:
    """Tell whether a stream ended before the piece that says why it ends, which every compatible endpoint sends."""
    return metadata.get("model_provider") == "openai" and "finish_reason" not in metadata


def _cleaned(answer: Answer) -> Answer:
    """Remove from every field of an answer what no log, ticket or approval can hold."""
    return answer.model_copy(update={name: storable(part) for name, part in answer})


async def invoke_structured(
    model: BaseChatModel, schema: type[Schema], messages: Sequence[BaseMessage]
) -> tuple[Schema | None, Usage]:
    """Have a chat model fill a schema; an internal call, whose tokens no user's stream shows.

    Returns:
        What it filled in, nothing when its answer does not fit the schema, and the tokens of the call.

    Raises:
        ModelError: as for `invoke`.
    """
    internal = model.with_structured_output(schema, include_raw=True).with_config(tags=[TAG_NOSTREAM])
    try:
        filled = await internal.ainvoke(list(messages))
    except _failures() as error:
        raise ModelError(_remedy(error)) from error
    raw, parsed = (filled["raw"], filled["parsed"]) if isinstance(filled, dict) else (None, filled)
    usage = usage_of(raw) if isinstance(raw, AIMessage) else NO_USAGE
    return _cleaned(parsed) if isinstance(parsed, schema) else None, usage


def usage_of(message: AIMessage) -> Usage:
    """Return what one call took: the tokens that the provider reported with its message, if it did."""
    reported = message.usage_metadata
    if reported is None:
        return Usage(calls=1, input=0, output=0, cached=0)
    cached = reported.get("input_token_details", {}).get("cache_read", 0)
    return Usage(calls=1, input=reported["input_tokens"], output=reported["output_tokens"], cached=cached)


_TOO_LONG = re.compile(
    r"(context|prompt|input|token)\b.*(exceed|too long|maximum|limit)|exceed.*context",
    re.IGNORECASE | re.DOTALL,
)


def _too_long(error: Exception) -> bool:
    """Tell a refusal for length, which no two servers word alike, from other refusals."""
    import openai  # noqa: PLC0415 - as above

    refused = isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError) or (
        isinstance(error, openai.APIStatusError) and error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    )
    return isinstance(error, TooLongError) or (refused and bool(_TOO_LONG.search(str(error))))


def _remedy(error: Exception) -> str:
    import openai  # noqa: PLC0415 - as above

    match error:
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            cause, remedy = "the key is refused", "Check OPENAI_API_KEY."
        case openai.NotFoundError():
            cause, remedy = "no such model or path", "Check SUPPORTPILOT_CHAT_MODEL and OPENAI_BASE_URL."
        case openai.RateLimitError():
            cause, remedy = "too many requests, or no quota left", "Wait and send the message again."
        case openai.APITimeoutError() | TimeoutError():
            cause, remedy = "no answer in time", "Send it again, or raise SUPPORTPILOT_REQUEST_TIMEOUT."
        case openai.APIConnectionError():
            cause, remedy = "the endpoint is out of reach", "Check OPENAI_BASE_URL and that the server runs."
        case openai.APIStatusError():
            cause, remedy = f"HTTP {error.status_code}: {error.message}", "Read the endpoint's own message."
        case _:
            cause, remedy = f"{type(error).__name__}: {error}", "Check OPENAI_BASE_URL and the model's name."
    return _told(cause, remedy)


def _told(cause: str, remedy: str) -> str:
    return f"The chat model failed: {cause}. {remedy} Your message is kept; SUPPORTPILOT_CHAT_MODEL=offline needs no endpoint."
