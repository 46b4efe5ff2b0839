"""What was learned about how models count tokens, kept for the next process."""

from collections.abc import Mapping
from typing import Any

from psycopg.types.json import Jsonb

from store.postgres import Pool


async def load_estimator(pool: Pool, model: str) -> Mapping[str, Any] | None:
    """Return the state of a model's token estimator; nothing if none was kept."""
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT state FROM estimators WHERE model = %s", (model,))
        row = await cursor.fetchone()
    return row["state"] if row else None


async def keep_estimator(pool: Pool, model: str, state: Mapping[str, Any]) -> None:
    """Keep the state of a model's token estimator; of several processes the last one's stays."""
    async with pool.connection() as connection:
        await connection.execute(
            """INSERT INTO estimators (model, state) VALUES (%s, %s)
               ON CONFLICT (model) DO UPDATE SET state = excluded.state""",
            (model, Jsonb(state)),
        )
