"""Gaps: questions that found no answer, kept for those who write the help centre."""

from store.postgres import Pool


async def record_gap(pool: Pool, *, message_id: str, tenant: str, collection: str, question: str) -> None:
    """Keep a question that found no answer; the same message is kept once.

    Args:
        pool: connections to the database.
        message_id: id of the user message, so that a step that runs again records nothing twice.
        tenant: whose help centre it is.
        collection: the collection that was searched.
        question: the standalone question.
    """
    async with pool.connection() as connection:
        await connection.execute(
            """INSERT INTO gaps (message_id, tenant, collection, question) VALUES (%s, %s, %s, %s)
               ON CONFLICT DO NOTHING""",
            (message_id, tenant, collection, question),
        )
