"""What every test shares: no settings from outside, and one embedded Postgres for the session."""

import atexit
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import hypothesis
import psycopg
import pytest

from store import embedded
from store.postgres import Pool, migrate, open_pool, setup_lock
from store.settings import Settings, load_settings, settings

hypothesis.settings.register_profile("untimed", deadline=None)  # a busy machine is no fault
hypothesis.settings.load_profile("untimed")

_FOREIGN = ("SUPPORTPILOT_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_", "DATABASE_URL")


def pytest_configure() -> None:
    """Hide the machine's own settings before anything reads them."""
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        if not (name == "DATABASE_URL" and os.environ.get("CI_DATABASE")):
            del os.environ[name]
    os.environ["LANGSMITH_TRACING"] = "false"
    os.environ["SUPPORTPILOT_WORKER"] = "false"  # tests read threads themselves, when they say so
    Settings.model_config["env_file"] = None


@pytest.fixture(scope="session")
def server_url() -> str:
    """The session's Postgres server, which stops at exit; its folder is removed after that."""
    folder = Path(tempfile.mkdtemp(prefix="supportpilot-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return embedded.start(folder)


@pytest.fixture(scope="session")
def database_url(server_url: str) -> str:
    """A database that the tests of a session share; tests keep apart by names of their own."""
    return create_database(server_url, "shared")


@pytest.fixture(scope="session")
def config(database_url: str) -> Iterator[Settings]:
    """Settings that point to the shared database, also for code that reads the environment."""
    os.environ["DATABASE_URL"] = database_url
    settings.cache_clear()
    yield load_settings()
    del os.environ["DATABASE_URL"]
    settings.cache_clear()


@pytest.fixture(scope="session")
async def pool(config: Settings) -> AsyncIterator[Pool]:
    """A pool on the shared database, migrated."""
    async with migrated(config) as opened:
        yield opened


@asynccontextmanager
async def migrated(configured: Settings) -> AsyncIterator[Pool]:
    """Open a pool on a database and migrate it."""
    async with open_pool(configured) as opened:
        async with setup_lock(opened) as connection:
            await migrate(connection)
        yield opened


def create_database(server_url: str, name: str, template: str = "template1") -> str:
    """Create a database, empty or the copy of one that nobody is connected to, and return its URL."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    return server_url.replace("/postgres?", f"/{name}?")
