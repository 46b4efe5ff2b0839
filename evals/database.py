"""A database for a run of the evals: beside the product's, so that no run changes what the product answers or counts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import quote, urlencode
from uuid import uuid4

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from store.errors import StoreError
from store.postgres import database_url
from store.settings import Settings

_UNUSED = """
SELECT datname FROM pg_database
WHERE starts_with(datname, %s) AND datname NOT IN (SELECT datname FROM pg_stat_activity WHERE datname IS NOT NULL)
"""


@asynccontextmanager
async def own_database(configured: Settings) -> AsyncIterator[Settings]:
    """Make an empty database on the configured server, and remove it again; one that a killed run left goes as well.

    Raises:
        ConfigError: no database is configured and the embedded one is not installed.
        StoreError: the server is out of reach, or lets this user create no database.
    """
    url = await database_url(configured)
    prefix = f"{conninfo_to_dict(url).get('dbname') or 'supportpilot'}_evals_"
    name = f"{prefix}{uuid4().hex[:8]}"
    try:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as server:
            for (left,) in await (await server.execute(_UNUSED, [prefix])).fetchall():
                await server.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(left)))
            await server.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    except psycopg.Error as error:
        raise StoreError(
            f"No database for the evals could be made ({str(error).strip()}). "
            "Name a server in DATABASE_URL whose user may create databases, or leave it empty for the embedded one."
        ) from error
    own = _named(url, name)
    try:
        async with await psycopg.AsyncConnection.connect(
            own, autocommit=True
        ):  # in use, for whoever tidies up
            yield configured.model_copy(update={"database_url": own})
    finally:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as server:
            await server.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def _named(url: str, name: str) -> str:
    """Return the URL of another database of the same server."""
    given = {key: value for key, value in conninfo_to_dict(url).items() if key != "dbname" and value}
    return f"postgresql:///{name}?{urlencode(given, quote_via=quote)}"
