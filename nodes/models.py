"""Chat models: the offline one or any OpenAI-compatible endpoint, and calls that fail with a typed error."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable
from pydantic import BaseModel

from nodes.offline.model import OfflineChatModel
from nodes.state import Usage
from store.embedding import open_embedder
from store.errors import ConfigError, ModelError
from store.settings import Settings
from store.storable import storable

OFFLINE = "offline"

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
    found: BaseChatModel = endpoint().endpoint_model(name, settings)
    return found


def endpoint() -> ModuleType:
    """Return the module `nodes.endpoint`, for whoever has an endpoint or a failure: importing it takes 0.6 s."""
    from nodes import endpoint as module  # noqa: PLC0415 - as said

    return module


async def invoke(
    model: Runnable[list[BaseMessage], BaseMessage], messages: Sequence[BaseMessage]
) -> AIMessage:
    """Call a chat model; its reply holds nothing that Postgres does not take.

    Raises:
        ContextOverflowError: the endpoint refuses the request as too long.
        ModelError: the endpoint is out of reach, refuses the call or sends nothing usable; the message says
            what to do about it.
    """
    with model_errors():
        reply = cleaned(await model.ainvoke(list(messages)))
    if not isinstance(reply, AIMessage):
        raise ModelError(f"The model answered with a {type(reply).__name__}, not with a message of its own.")
    _check_end(reply.response_metadata)
    return reply


async def invoke_briefly(
    model: Runnable[list[BaseMessage], BaseMessage], messages: Sequence[BaseMessage], chars: int
) -> AIMessage:
    """Call a chat model, and stop it behind so many characters: a small one may repeat itself without end.

    Of an answer that was stopped the whole lines stay; what it took is not known then.

    Args:
        model: asked for an internal text, no user's answer.
        messages: the request, which states the length that is wanted.
        chars: more than that.

    Raises:
        ContextOverflowError: the endpoint refuses the request as too long.
        ModelError: as for `invoke`.
    """
    text, usage, metadata = "", None, dict[str, Any]()
    with model_errors():
        async with aclosing(model.astream(list(messages))) as pieces:  # type: ignore[type-var]  # a generator it is
            async for piece in pieces:
                text += piece.text
                usage = getattr(piece, "usage_metadata", None) or usage
                metadata |= piece.response_metadata
                if len(text) > chars:
                    return AIMessage(storable(text[:chars].rpartition("\n")[0]))
    _check_end(metadata)
    return AIMessage(storable(text), usage_metadata=usage)


@contextmanager
def model_errors() -> Iterator[None]:
    """Turn what a model's client raises into an error that says what to do."""
    try:
        yield
    except Exception as error:
        failed: ModelError | None = endpoint().model_error(error)
        if failed:
            raise failed from error
        raise


def _check_end(metadata: Mapping[str, Any]) -> None:
    """Check that a stream did not end before the piece that says why it ends, which every compatible endpoint sends.

    Raises:
        ModelError: it did.
    """
    if metadata.get("model_provider") == "openai" and "finish_reason" not in metadata:
        raise ModelError(endpoint().told("the answer broke off", "Send the message again."))


def cleaned(answer: Answer) -> Answer:
    """Remove from every field of an answer what no log, ticket or approval can hold."""
    return answer.model_copy(update={name: storable(part) for name, part in answer})


def usage_of(message: AIMessage) -> Usage:
    """Return what one call took: the tokens that the provider reported with its message, if it did."""
    reported = message.usage_metadata
    if reported is None:
        return Usage(calls=1, input=0, output=0, cached=0)
    cached = reported.get("input_token_details", {}).get("cache_read", 0)
    return Usage(calls=1, input=reported["input_tokens"], output=reported["output_tokens"], cached=cached)
