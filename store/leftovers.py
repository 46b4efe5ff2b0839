"""What is left of a user, counted in every table that there is: how the tests and the evals check what forgetting did."""

from collections.abc import Mapping

from psycopg.sql import SQL, Composed, Identifier

from store.erasure import prefix_of, thread_ids
from store.memory import owner_key
from store.postgres import Pool
from store.threads import Owner

BUSINESS_TABLES = frozenset({"subscriptions", "invoices", "refunds", "invoice_reissues"})
"""Records of the business itself: they are kept by law or contract, and forgotten where they are kept."""

KEPT_TABLES = BUSINESS_TABLES | {"memory_epochs"}
"""Not counted as left behind; the epochs hold a digest alone, so that a write begun before stays refused."""


async def rows_left(pool: Pool, owner: Owner, threads: list[str] | None = None) -> Mapping[str, int]:
    """Count what every table of the database holds of a user, the tables taken from the catalogue.

    Args:
        pool: the database.
        owner: whose rows.
        threads: thread ids to look for; default: those that the user has now.

    Returns:
        Rows by table; tables without any are left out, and so are ``KEPT_TABLES``.
    """
    async with pool.connection() as connection:
        ids = await thread_ids(connection, owner) if threads is None else threads
        columns = await connection.execute(
            "SELECT table_name, array_agg(column_name::text) AS columns FROM information_schema.columns"
            " WHERE table_schema = current_schema() GROUP BY table_name"
        )
        left: dict[str, int] = {}
        for row in await columns.fetchall():
            if row["table_name"] in KEPT_TABLES:
                continue
            for condition, parameters in _conditions(row["columns"], owner, ids):
                query = SQL("SELECT count(*) AS n FROM {} WHERE {}").format(
                    Identifier(row["table_name"]), condition
                )
                counted = await (await connection.execute(query, parameters)).fetchone()
                left[row["table_name"]] = left.get(row["table_name"], 0) + (counted["n"] if counted else 0)
    return {table: count for table, count in left.items() if count}


def _conditions(
    columns: list[str], owner: Owner, threads: list[str]
) -> list[tuple[SQL | Composed, tuple[object, ...]]]:
    found: list[tuple[SQL | Composed, tuple[object, ...]]] = []
    if {"tenant", "user_id"} <= {*columns}:
        found.append((SQL("tenant = %s AND user_id = %s"), (owner.tenant, owner.user_id)))
    elif "thread_id" in columns:
        found.append((SQL("thread_id::text = ANY(%s)"), (threads,)))
    if "prefix" in columns:
        found.append((SQL("starts_with(prefix, %s)"), (prefix_of(owner),)))
    if {"args", "queueing_lock"} <= {*columns}:
        found.append((SQL("args->>'owner' = %s"), (owner_key(owner),)))
    return found
