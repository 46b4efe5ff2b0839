"""A database for the store's own tests, which leave collections behind: the product answers from the sample alone."""

from collections.abc import AsyncIterator

import pytest

from store.postgres import Pool
from store.settings import load_settings
from tests.conftest import create_database, migrated


@pytest.fixture(scope="session")
async def pool(server_url: str) -> AsyncIterator[Pool]:
    """A pool on that database, migrated."""
    async with migrated(load_settings(database_url=create_database(server_url, "store"))) as opened:
        yield opened
