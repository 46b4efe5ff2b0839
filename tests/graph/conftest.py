"""The product on the session's Postgres, with the sample help centre, and on a database of a module's own."""

from collections.abc import AsyncIterator

import pytest

from graph.support import Support, open_support
from store.settings import Settings, load_settings
from tests.conftest import create_database
from tests.graph.commands import Command


@pytest.fixture(scope="session")
async def support(config: Settings) -> AsyncIterator[Support]:
    """Everything open, offline, as code would open it."""
    async with open_support(config) as opened:
        yield opened


@pytest.fixture(scope="session")
async def furnished(server_url: str) -> str:
    """Name of a database with the sample help centre in it, to be copied."""
    async with open_support(load_settings(database_url=create_database(server_url, "furnished"))):
        return "furnished"


@pytest.fixture(scope="module")
def own(server_url: str, furnished: str, request: pytest.FixtureRequest) -> Settings:
    """Settings that point to a database of the module's own, with the sample help centre in it."""
    return load_settings(database_url=create_database(server_url, request.module.__name__, furnished))


@pytest.fixture(scope="module")
async def desk(own: Settings) -> AsyncIterator[Support]:
    """Everything open on the module's own database."""
    async with open_support(own) as opened:
        yield opened


@pytest.fixture(scope="module")
def command(own: Settings) -> Command:
    """The command line on the module's own database."""
    return Command(own.database_url or "")
