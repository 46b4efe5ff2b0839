import psycopg

from evals.database import own_database
from store.settings import load_settings


def names(server_url: str) -> set[str]:
    with psycopg.connect(server_url) as connection:
        return {row[0] for row in connection.execute("SELECT datname FROM pg_database")}


async def test_a_run_has_an_empty_database_that_is_gone_after_it(server_url: str) -> None:
    before = names(server_url)
    async with own_database(load_settings(database_url=server_url)) as configured:
        assert len(names(server_url) - before) == 1
        with psycopg.connect(str(configured.database_url)) as connection:
            found = connection.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            ).fetchone()
            assert found == (0,)
    assert names(server_url) == before


async def test_an_option_with_a_space_reaches_the_runs_database(server_url: str) -> None:
    url = f"{server_url}&options=-c%20geqo_threshold%3D7"
    async with own_database(load_settings(database_url=url)) as configured:
        with psycopg.connect(str(configured.database_url)) as connection:
            assert connection.execute("SHOW geqo_threshold").fetchone() == ("7",)


async def test_what_a_killed_run_left_is_removed_and_what_another_run_uses_is_not(server_url: str) -> None:
    configured = load_settings(database_url=server_url)
    async with own_database(configured):
        used = names(server_url)
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute('CREATE DATABASE "postgres_evals_left"')
        async with own_database(configured):
            assert used <= names(server_url)
            assert "postgres_evals_left" not in names(server_url)
