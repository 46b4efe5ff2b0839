"""``supportpilot doctor``: what is wrong with the set-up, and what to do about it."""

import os
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version

import typer
from langchain_core.messages import HumanMessage
from rich.table import Table

from graph.cli.common import out, run
from graph.server.tokens import check_auth
from graph.telemetry import ENDPOINT
from nodes.models import OFFLINE, chat_model, invoke
from store.embedding import open_embedder
from store.errors import ConfigError, SupportPilotError
from store.knowledge import list_collections, open_knowledge
from store.persistence import open_persistence
from store.sample import collection_in_use
from store.settings import Settings, settings

_PACKAGES = (
    "supportpilot",
    "langgraph",
    "langgraph-checkpoint-postgres",
    "langchain-core",
    "langchain-openai",
    "langchain-postgres",
    "psycopg",
)


def doctor() -> None:
    """Check Python, database, embedder and model; exit code 1 if something is wrong."""
    run(_doctor())


async def _doctor() -> None:
    checks: dict[str, Callable[[Settings], Awaitable[str]]] = {
        "python": _python,
        "packages": _packages,
        "database": _database,
        "collections": _collections,
        "embedder": _embedder,
        "model": _model,
        "sign-in": _sign_in,
        "sight": _sight,
    }
    configured = settings()
    table = Table("check", "", "finding", show_edge=False)
    broken = 0
    for name, check in checks.items():
        try:
            finding, mark = await check(configured), "[green]ok[/]"
        except SupportPilotError as error:
            finding, mark, broken = str(error), "[red]wrong[/]", broken + 1
        table.add_row(name, mark, finding)
    out.print(table)
    if broken:
        raise typer.Exit(1)


async def _python(_: Settings) -> str:
    return sys.version.split()[0]  # an older one than the package names imports nothing of it


async def _packages(_: Settings) -> str:
    return ", ".join(f"{package} {version(package)}" for package in _PACKAGES)


async def _database(configured: Settings) -> str:
    async with open_persistence(configured) as (pool, _saver, _memories), pool.connection() as connection:
        cursor = await connection.execute(
            """SELECT current_setting('server_version') AS postgres, extversion AS vector,
                      (SELECT max(version) FROM schema_version) AS schema
               FROM pg_extension WHERE extname = 'vector'"""
        )
        row = await cursor.fetchone()
    if row is None:
        raise ConfigError("The database has no pgvector. Install it and run: CREATE EXTENSION vector.")
    where = "DATABASE_URL" if configured.database_url else f"embedded, in {configured.data_dir}"
    return f"Postgres {row['postgres']}, pgvector {row['vector']}, schema version {row['schema']} ({where})"


async def _collections(configured: Settings) -> str:
    embedder = open_embedder(configured)
    async with (
        open_persistence(configured) as (pool, _saver, _memories),
        open_knowledge(pool, embedder) as knowledge,
    ):
        collections = await list_collections(knowledge)
        used = await collection_in_use(knowledge, configured)
    foreign = [c for c in collections if c.embedder != embedder.name]
    if foreign:
        raise ConfigError(
            f"{', '.join(repr(c.name) for c in foreign)} was embedded by {foreign[0].embedder!r}, the settings name "
            f"{embedder.name!r}. Ingest again with --reindex, or name that model again."
        )
    chosen = "collection" in configured.model_fields_set
    if (collections or chosen) and used not in {c.name for c in collections}:
        raise ConfigError(
            f"SUPPORTPILOT_COLLECTION={used!r}{'' if chosen else ' (the default)'} names no collection; there are: "
            f"{', '.join(repr(c.name) for c in collections) or 'none yet'}. Name one of them, or fill it: "
            f"supportpilot ingest DIR --collection {used}"
        )
    listed = ", ".join(f"{c.name} ({c.documents} documents, {c.chunks} chunks)" for c in collections)
    return listed or "none yet; the first question ingests the sample"


async def _embedder(configured: Settings) -> str:
    embedder = open_embedder(configured)
    vector = await embedder.embed_query("test")
    return f"{embedder.name}, {len(vector)} dimensions"


async def _model(configured: Settings) -> str:
    model = chat_model(configured)
    reply = await invoke(model, [HumanMessage("ping")])
    name = reply.response_metadata.get("model_name", configured.chat_model)
    where = (
        "built in, needs no key"
        if configured.chat_model == OFFLINE
        else configured.openai_base_url or "OpenAI"
    )
    return f"{name} ({where})"


async def _sign_in(configured: Settings) -> str:
    return check_auth(configured)


async def _sight(configured: Settings) -> str:
    collector, project = os.environ.get(ENDPOINT), os.environ.get("LANGSMITH_PROJECT", "default")
    langsmith = os.environ.get("LANGSMITH_TRACING", "").lower() == "true"
    return (
        f"logs: {configured.log_format} from {configured.log_level}, private values masked"
        f" · OpenTelemetry: {f'to {collector}' if collector else f'off ({ENDPOINT} is not set)'}"
        f" · LangSmith: {f'project {project!r}' if langsmith else 'off (LANGSMITH_TRACING is not true)'}"
    )
