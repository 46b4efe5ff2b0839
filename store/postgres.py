"""Connections: where the database is, pools that survive its restart, and the schema's migrations."""

import asyncio
import math
import select
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib import resources
from importlib.resources.abc import Traversable

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from store import embedded
from store.errors import StoreError
from store.settings import Settings

Connection = AsyncConnection[DictRow]


class Pool(AsyncConnectionPool[Connection]):
    """Psycopg's pool, whose waits end with an error of the product."""

    async def getconn(self, timeout: float | None = None) -> Connection:  # noqa: ASYNC109 - the parent's signature
        """Take a connection.

        Raises:
            StoreError: none came in time.
        """
        try:
            return await super().getconn(timeout)
        except PoolTimeout as error:
            raise StoreError(
                f"No connection to Postgres within {timeout or self.timeout:g} s: all {self.max_size} of the pool are "
                "busy, or the database is out of reach. Send it again; if it goes on, raise SUPPORTPILOT_POOL_SIZE."
            ) from error


SETUP_LOCK = 727_001
"""Advisory lock under which tables are created: concurrent set-ups fail on each other's unique keys."""

_WAIT_SECONDS = 15.0
"""How long a call waits for a connection of the pool."""
_CONNECT_SECONDS = 3.0
"""How long the first connection is tried for; a database that starts beside the program needs a moment."""
_RETRY_SECONDS = 0.3
_LOCK_POLL_SECONDS = 0.05


async def database_url(settings: Settings) -> str:
    """Return the URL of the database: the configured one, else the embedded server's, started if need be.

    Raises:
        ConfigError: neither is there.
        StoreError: the embedded server does not start.
    """
    if settings.database_url:
        return settings.database_url
    return await asyncio.to_thread(embedded.start, settings.data_dir)


@asynccontextmanager
async def open_pool(settings: Settings, *, size: int | None = None) -> AsyncIterator[Pool]:
    """Open a pool of autocommit connections with rows as dicts; each is checked before it is handed out.

    Args:
        settings: says where the database is.
        size: most connections; default ``settings.pool_size``.

    Raises:
        StoreError: the database is out of reach.
    """
    url = await database_url(settings)
    await _reach(url)
    pool = Pool(
        url,
        min_size=1,
        max_size=size or settings.pool_size,
        open=False,
        timeout=_WAIT_SECONDS,
        check=_check,
        kwargs={"autocommit": True, "row_factory": dict_row, "prepare_threshold": 0},
    )
    await pool.open()
    try:
        yield pool
    finally:
        await pool.close()


async def _check(connection: Connection) -> None:
    """Refuse a connection that the server has closed.

    On an idle connection there is nothing to read unless the server closed it or says that it ends. Only then is the
    server asked: a round trip for every connection that is taken would cost a sixth of a turn's processor time.

    Raises:
        OperationalError: it is dead; the pool takes another one.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        await AsyncConnectionPool.check_connection(connection)


async def _reach(url: str) -> None:
    """Connect once: a pool would try in the background, and warn each time, before it gave up."""
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        try:
            connection = await AsyncConnection.connect(url, connect_timeout=math.ceil(_CONNECT_SECONDS))
        except psycopg.ProgrammingError as error:
            raise StoreError(
                "DATABASE_URL is no Postgres URL. Write postgresql://user:password@host/name."
            ) from error
        except psycopg.OperationalError as error:
            if time.monotonic() + _RETRY_SECONDS >= deadline:
                raise StoreError(
                    f"Postgres at {_without_password(url)!r} is out of reach ({str(error).splitlines()[0]}). "
                    "Check that it runs and DATABASE_URL is right."
                ) from error
            await asyncio.sleep(_RETRY_SECONDS)
        else:
            await connection.close()
            return


@contextmanager
def typed_errors() -> Iterator[None]:
    """Turn what psycopg raises when the database goes away, or is full, into an error of the product.

    Raises:
        StoreError: in the place of psycopg's.
    """
    try:
        yield
    except psycopg.Error as error:
        raise typed(error) from error


def typed(error: Exception) -> StoreError:
    """Return an error of the product for one of psycopg's."""
    said = (str(error).splitlines() or [type(error).__name__])[0]
    return StoreError(f"Postgres failed meanwhile ({said}). Try again.")


@asynccontextmanager
async def setup_lock(pool: Pool) -> AsyncIterator[Connection]:
    """Hold the lock under which tables are created, and yield the connection that holds it."""
    async with pool.connection() as connection:
        # Asked for again and again, not waited for: a statement that waits is a transaction, for whose end
        # CREATE INDEX CONCURRENTLY of the set-up that holds the lock would wait in turn.
        while not await _try_lock(connection):  # noqa: ASYNC110 - another process holds it, no event tells
            await asyncio.sleep(_LOCK_POLL_SECONDS)
        try:
            yield connection
        finally:
            await connection.execute("SELECT pg_advisory_unlock(%s)", (SETUP_LOCK,))


async def _try_lock(connection: Connection) -> bool:
    cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS held", (SETUP_LOCK,))
    row = await cursor.fetchone()
    return bool(row and row["held"])


async def migrate(connection: Connection) -> None:
    """Bring the product's own tables to the version of this program; call it under ``setup_lock``.

    Raises:
        StoreError: the database was written by a newer program, or a migration fails.
    """
    await connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY)")
    rows = await (await connection.execute("SELECT version FROM schema_version")).fetchall()
    present, known = {row["version"] for row in rows}, _scripts()
    if unknown := present - set(known):
        raise StoreError(
            f"The database holds schema version {max(unknown)}, this program knows {max(known)}: upgrade the program."
        )
    for version in sorted(set(known) - present):
        script = known[version]
        try:
            async with connection.transaction():
                await connection.execute(script.read_bytes(), prepare=False)
                await connection.execute("INSERT INTO schema_version VALUES (%s)", (version,))
        except psycopg.Error as error:
            raise StoreError(f"Migration {script.name!r} failed: {error}") from error


def _scripts() -> dict[int, Traversable]:
    """Return the migrations by the number that their names begin with."""
    scripts = resources.files("store.migrations").iterdir()
    return {int(script.name[:4]): script for script in scripts if script.name.endswith(".sql")}


def _without_password(url: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(url)
    return " ".join(f"{key}={value}" for key, value in parts.items() if key != "password")
