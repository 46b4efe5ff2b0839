"""Feedback: what users thought of an answer, kept with what the answer rested on."""

from collections.abc import Sequence
from dataclasses import dataclass

from store.gaps import record_gap
from store.postgres import Pool
from store.privacy import redact
from store.threads import Owner


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that is judged.

    Attributes:
        thread_id: the thread.
        message_id: the answer's message.
        asked_id: the user's message that it answers.
        question: what was asked.
        answer: what was answered.
        passages: ids of the passages that it cites.
        collection: what was searched.
    """

    thread_id: str
    message_id: str
    asked_id: str
    question: str
    answer: str
    passages: Sequence[str]
    collection: str


async def give_feedback(pool: Pool, owner: Owner, judged: Judged, *, helpful: bool, reason: str) -> None:
    """Keep what a user thought of an answer, the newest word on each; what did not help is a gap, too.

    Private values in question, answer and reason are masked.
    """
    texts = [redact(text).text for text in (judged.question, judged.answer, reason)]
    async with pool.connection() as connection:
        await connection.execute(
            """INSERT INTO feedback (thread_id, message_id, tenant, user_id, helpful, question, answer, reason, passages)
               VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
               ON CONFLICT (thread_id, message_id) DO UPDATE
               SET helpful = excluded.helpful, reason = excluded.reason, created_at = now()""",
            (
                judged.thread_id,
                judged.message_id,
                owner.tenant,
                owner.user_id,
                helpful,
                *texts,
                list(judged.passages),
            ),
        )
    if not helpful:
        await record_gap(
            pool,
            message_id=judged.asked_id,
            thread=judged.thread_id,
            tenant=owner.tenant,
            collection=judged.collection,
            question=texts[0],
        )
