"""The product on the session's Postgres, with the sample help centre."""

from collections.abc import AsyncIterator

import pytest

from graph.support import Support, open_support
from store.settings import Settings


@pytest.fixture(scope="session")
async def support(config: Settings) -> AsyncIterator[Support]:
    """Everything open, offline, as code would open it."""
    async with open_support(config) as opened:
        yield opened
