"""Every setting, read in one place: an explicit argument wins, then the environment, then the default."""

from functools import lru_cache
from json import JSONDecodeError
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from store.errors import ConfigError

PROJECT = Path(__file__).resolve().parents[1]
"""The checkout, which holds the sample help centre and, by default, the data folder."""

COLLECTION_NAME = r"[\w.-]{1,64}"
"""What a collection may be called."""

LONGEST_WAIT = 86_400
"""Seconds, a day: the most that anything is waited for."""
LONGEST_DAYS = 36_500
"""Days, a century: what is older is out of reach of a database's dates soon."""


class Settings(BaseSettings):
    """Settings of one process, from arguments, ``SUPPORTPILOT_*`` variables, ``.env`` and defaults.

    The variables that other tools share (``DATABASE_URL``, ``OPENAI_BASE_URL``, ``OPENAI_API_KEY``) keep
    their usual names.
    """

    model_config = SettingsConfigDict(
        env_prefix="SUPPORTPILOT_",
        env_file=".env",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    database_url: Annotated[
        str | None,
        Field(
            validation_alias=AliasChoices("database_url", "DATABASE_URL"),
            description="Postgres with pgvector; empty: the embedded server is started.",
        ),
    ] = None
    data_dir: Annotated[Path, Field(description="Folder of the embedded Postgres.")] = PROJECT / "data"
    pool_size: Annotated[int, Field(ge=2, le=200, description="Connections of one process's main pool.")] = 10

    log_format: Annotated[
        Literal["console", "json"],
        Field(description="How a worker writes its logs: for people, or JSON for machines."),
    ] = "json"
    log_level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"], Field(description="From which level on it writes them.")
    ] = "INFO"
    thread_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_DAYS,
            description="Days without a word after which a conversation is removed; empty: never.",
        ),
    ] = None
    memory_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=LONGEST_DAYS,
            description="Days after which a memory that was not confirmed since is removed; empty: never.",
        ),
    ] = None
    production: Annotated[
        bool,
        Field(
            description="Whether users are served: static tokens are refused, and so is whoever has no token."
        ),
    ] = False
    auth_key: Annotated[
        SecretStr | None,
        Field(
            description="What signs the servers' bearer tokens (JWT): a public key (PEM) or a shared secret."
        ),
    ] = None
    auth_issuer: Annotated[str, Field(description="Issuer that the tokens must name.")] = ""
    auth_audience: Annotated[
        str, Field(description="Audience that the tokens must name; empty: none is asked for.")
    ] = ""
    auth_tokens: Annotated[
        SecretStr | None,
        Field(
            description='Tokens for development, as JSON: {"TOKEN": {"user_id": "ann", "tenant": "default", "staff": false}}.'
        ),
    ] = None
    turns_per_minute: Annotated[
        int,
        Field(
            ge=1,
            description="Turns that one signed-in user may begin in a minute, at a steady pace or at once.",
        ),
    ] = 30
    concurrent_turns: Annotated[
        int, Field(ge=1, description="Turns of one signed-in user that may run at the same time.")
    ] = 4
    message_chars: Annotated[
        int, Field(ge=1, le=100_000, description="Longest message, in characters; a longer one is refused.")
    ] = 20_000

    collection: Annotated[
        str,
        Field(description="Collection that is asked when none is named.", pattern=rf"^{COLLECTION_NAME}$"),
    ] = "default"
    product_name: Annotated[str, Field(description="The product's name in prompts; empty: not named.")] = ""
    tone: Annotated[str, Field(description="How the assistant speaks, in the prompt's own words.")] = ""

    openai_base_url: Annotated[
        str | None,
        Field(
            validation_alias=AliasChoices("openai_base_url", "OPENAI_BASE_URL"),
            description="Any OpenAI-compatible endpoint; with a key or a base URL the live model is used.",
        ),
    ] = None
    openai_api_key: Annotated[
        SecretStr | None,
        Field(
            validation_alias=AliasChoices("openai_api_key", "OPENAI_API_KEY"),
            description="Key of the endpoint; without key and base URL the offline model answers.",
        ),
    ] = None
    chat_model: Annotated[str, Field(description="Model that answers; `offline` needs no endpoint.")] = ""
    small_model: Annotated[
        str, Field(description="Model that rewrites follow-ups; empty: the chat model.")
    ] = ""
    embedding_model: Annotated[
        str, Field(description="Embedding model of the endpoint; empty: the bundled one.")
    ] = ""
    embedding_dimensions: Annotated[
        int | None, Field(ge=1, le=2000, description="Dimensions asked of the endpoint's embedding model.")
    ] = None
    embedding_base_url: Annotated[
        str | None, Field(description="Endpoint of the embedding model; empty: OPENAI_BASE_URL.")
    ] = None
    rerank_url: Annotated[
        str | None,
        Field(description="Endpoint that reranks (`POST {url}/rerank`, as Jina and Cohere); empty: offline."),
    ] = None
    rerank_model: Annotated[str, Field(description="Model of the rerank endpoint.")] = ""
    rerank_api_key: Annotated[SecretStr | None, Field(description="Key of the rerank endpoint.")] = None
    mcp_config: Annotated[
        Path | None,
        Field(description="File that names MCP servers whose tools are added, as `mcpServers`; empty: none."),
    ] = None
    skills_dir: Annotated[
        Path | None, Field(description="Folder of skills, each a folder with a SKILL.md; empty: none.")
    ] = None
    budget: Annotated[
        dict[str, str | int | float | bool],
        Field(
            description="Fields of the window's budget that differ from its defaults, such as"
            " SUPPORTPILOT_BUDGET__WINDOW; `supportpilot budget` lists them all with their reasons."
        ),
    ] = {}
    request_timeout: Annotated[
        float, Field(gt=0, le=LONGEST_WAIT, description="Seconds before a model call is given up.")
    ] = 60.0
    request_retries: Annotated[
        int, Field(ge=0, le=10, description="Retries of a model call that failed.")
    ] = 2

    tool_timeout: Annotated[
        float,
        Field(
            gt=0, le=LONGEST_WAIT, description="Seconds before a tool call is given up; the model is told."
        ),
    ] = 30.0
    worker: Annotated[
        bool,
        Field(
            description="Read conversations for memories in this process; off: `supportpilot worker` does."
        ),
    ] = True
    memory_pause: Annotated[
        float,
        Field(
            ge=0,
            le=LONGEST_WAIT,
            description="Seconds a conversation has to be quiet before it is read for memories.",
        ),
    ] = 20.0
    timezone: Annotated[
        str, Field(description="Time zone of the users: what yesterday is.", examples=["Asia/Shanghai"])
    ] = "UTC"

    @field_validator("timezone")
    @classmethod
    def _zone_exists(cls, zone: str) -> str:
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"no time zone {zone!r} is installed") from error
        return zone

    def __hash__(self) -> int:
        return hash(repr(self))  # pydantic's own hash would fail on the mapping

    @model_validator(mode="after")
    def _tokens_can_be_checked(self) -> Self:
        if self.auth_key is not None and not self.auth_issuer:
            raise ValueError("SUPPORTPILOT_AUTH_KEY needs SUPPORTPILOT_AUTH_ISSUER, the issuer of the tokens")
        if self.production and self.auth_tokens is not None:
            raise ValueError(
                "SUPPORTPILOT_AUTH_TOKENS is for development, SUPPORTPILOT_PRODUCTION refuses it"
            )
        return self

    @model_validator(mode="after")
    def _live_model_has_a_name(self) -> Self:
        if not self.chat_model:
            live = self.openai_base_url is not None or self.openai_api_key is not None
            object.__setattr__(self, "chat_model", "gpt-4.1-mini" if live else "offline")
        return self


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process.

    Raises:
        ConfigError: a variable has a value of the wrong type; the message names it.
    """
    return load_settings()


def load_settings(**explicit: object) -> Settings:
    """Read settings, explicit arguments first.

    Args:
        **explicit: values by field name that win over the environment.

    Raises:
        ConfigError: a value is missing or malformed; the message names it and what is allowed.
    """
    try:
        return Settings(**explicit)  # type: ignore[arg-type]  # pydantic checks the values
    except ValidationError as error:
        parts = [_problem(one) for one in error.errors()]
        raise ConfigError("; ".join(parts) + ". Correct the variable or remove it.") from error
    except SettingsError as error:
        raise ConfigError(f"{_unread(error)}. Correct the variable or remove it.") from error


def variable(field: str) -> str:
    """Return the environment variable of a setting."""
    alias = Settings.model_fields[field].validation_alias
    return str(alias.choices[-1]) if isinstance(alias, AliasChoices) else f"SUPPORTPILOT_{field.upper()}"


def _unread(error: SettingsError) -> str:
    """Say which setting is no JSON; pydantic only names its field."""
    names = [name for name in Settings.model_fields if f'"{name}"' in str(error)]
    cause = error.__cause__
    if not names or not isinstance(cause, JSONDecodeError):
        return str(error)
    return f"{variable(names[0])} ({names[0]})={cause.doc!r} is not JSON: {cause}"


def _problem(error: ErrorDetails) -> str:
    """Say what is wrong with one setting; a check of several settings has no place and shows no value."""
    place = [str(part) for part in error["loc"]]
    names = [name for name in Settings.model_fields if place and place[0] in (name, variable(name))]
    if not names:
        return " ".join([*place, error["msg"]])
    secret = "Secret" in str(Settings.model_fields[names[0]].annotation)
    value = "" if secret else f"={error['input']!r}"
    return f"{variable(names[0])} ({names[0]}){value}: {error['msg']}"
