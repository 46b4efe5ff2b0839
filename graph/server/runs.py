"""A run that a client asks a LangGraph server for: one message of a user, and nothing else of the graph's state."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal
from uuid import UUID, uuid5

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from graph.builder import RECURSION_LIMIT
from graph.server.tokens import Principal
from nodes.state import Context
from store.arguments import wrong_parts
from store.errors import AccessDeniedError
from store.limits import check_length
from store.settings import Settings

_MESSAGES = UUID("0d0a4a5f-3c1c-5f3e-8a59-6f4b6f2a9d51")
_REFUSED = ("command", "webhook", "interrupt_before", "interrupt_after")
"""What steers the graph from outside: past an approval, past the review of an answer, to other hosts."""

_IDENTITY = ("user_id", "tenant")
"""Parts of a run's context that the signed-in user goes before."""


class _Text(BaseModel):
    type: Literal["text"]
    text: str


class _Message(BaseModel):
    """A user's message, as LangChain or OpenAI write it."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["human", "user"] = Field(validation_alias=AliasChoices("type", "role"))
    content: str | list[_Text]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    messages: list[_Message] = Field(min_length=1, max_length=1)


def decides(principal: Principal, value: Mapping[str, Any]) -> bool:
    """Tell whether a run is a decision of the staff, and nothing else: a command that only resumes."""
    command, given = value["kwargs"].get("command"), value["kwargs"].get("input")
    resumes = isinstance(command, dict) and {name for name, part in command.items() if part} == {"resume"}
    return principal.staff and resumes and given is None


def check_run(principal: Principal, value: dict[str, Any], settings: Settings) -> None:
    """Refuse a run that is more than one message of a user or a decision of the staff, and bound the rest of it.

    Args:
        principal: who asks; a developer may steer the graph, as Studio does.
        value: the run; ids of messages, the run's user and its limit of steps are set in it.
        settings: the limits.

    Raises:
        AccessDeniedError: it writes other parts of the state, or steers the graph.
        LimitError: the message is too long.
    """
    asked: dict[str, Any] = value["kwargs"]
    for text in _texts([asked.get("input"), asked.get("command")]):
        check_length(text, settings)
    if principal.developer:
        return
    for name in _REFUSED[decides(principal, value) :]:
        if asked.get(name):
            raise AccessDeniedError(f"`{name}` is not open to clients.")
    if asked.get("input") is not None:
        _check_input(principal, asked["input"])
    _check_context(asked.get("context") or {})
    config = asked.get("config")
    if isinstance(config, dict):
        config["recursion_limit"] = min(config.get("recursion_limit", RECURSION_LIMIT), RECURSION_LIMIT)


def _check_input(principal: Principal, given: Any) -> None:
    try:
        _Input.model_validate(given)
    except ValidationError as error:
        raise AccessDeniedError(
            'The input of a run is one message of the user: {"messages": [{"role": "user", "content": "…"}]}. '
            f"Here: {wrong_parts(error)}"
        ) from error
    message = given["messages"][0]
    if message.get("id"):
        # The log replaces a message of a known id: a client's id must not be one that the log gave itself.
        message["id"] = str(uuid5(_MESSAGES, f"{principal.tenant}\0{principal.user_id}\0{message['id']}"))


def _check_context(context: Mapping[str, Any]) -> None:
    chosen = [one.name for one in fields(Context) if one.name not in _IDENTITY and context.get(one.name)]
    if chosen:
        raise AccessDeniedError(f"Clients may not choose {' and '.join(chosen)}; the settings do.")


def _texts(given: Any) -> list[str]:
    """Return every text of a run's input, whatever its form."""
    if isinstance(given, str):
        return [given]
    parts = given.values() if isinstance(given, Mapping) else given if isinstance(given, list) else ()
    return [text for part in parts for text in _texts(part)]
