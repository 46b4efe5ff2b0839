"""What one user may ask for: how much at once, and how often."""

from store.arguments import check_type
from store.errors import LimitError, MessageTooLongError
from store.postgres import Pool
from store.settings import Settings
from store.threads import Owner
from store.turn_lock import LOCK_SEED

_MINUTE = 60.0

_TAKE = """
INSERT INTO turn_allowance AS a VALUES (%(tenant)s, %(user)s, clock_timestamp() + %(step)s * interval '1 second')
ON CONFLICT (tenant, user_id) DO UPDATE
SET whole = CASE WHEN a.whole > clock_timestamp() + interval '1 minute' THEN clock_timestamp() ELSE greatest(a.whole, clock_timestamp()) END
            + %(step)s * interval '1 second'
WHERE a.whole + %(step)s * interval '1 second' <= clock_timestamp() + interval '1 minute'
   OR a.whole > clock_timestamp() + interval '1 minute'
RETURNING true AS taken
"""
"""A leaky bucket in one row (the generic cell rate algorithm of ATM networks, ITU-T I.371). A time further off
than a full bucket can be was written before the clock was set back, and counts as none. Of turns that come at once
each reads the clock when its turn at the row comes: by the time at which it began, the last one could be too early."""

_RUNNING = """
SELECT count(*) AS n FROM threads t JOIN pg_locks l ON l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
   AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(t.thread_id::text, %s)
WHERE t.tenant = %s AND t.user_id = %s
"""
"""A user's threads whose lock somebody holds; `pg_locks` shows an advisory lock's key in two halves of 32 bits."""


def check_length(text: str, settings: Settings) -> None:
    """Refuse a message that is too long to be read in the time of a turn.

    Raises:
        MalformedError: it is no text.
        MessageTooLongError: it has more characters than ``settings.message_chars``.
    """
    check_type("Message", text, str)
    if len(text) > settings.message_chars:
        raise MessageTooLongError(
            f"The message has {len(text)} characters; at most {settings.message_chars} are read. Send the part that "
            "matters, or raise SUPPORTPILOT_MESSAGE_CHARS."
        )


async def admit(pool: Pool, owner: Owner, settings: Settings) -> None:
    """Take one turn from a user's allowance; it holds across all processes of the database.

    Raises:
        LimitError: the user began too many turns within a minute, or has too many running.
    """
    async with pool.connection() as connection:
        running = await (
            await connection.execute(_RUNNING, (LOCK_SEED, owner.tenant, owner.user_id))
        ).fetchone()
        if running is not None and running["n"] >= settings.concurrent_turns:
            raise LimitError(
                f"{running['n']} of your conversations are being answered; at most {settings.concurrent_turns} at the "
                "same time. Wait for one of them, or raise SUPPORTPILOT_CONCURRENT_TURNS."
            )
        step = _MINUTE / settings.turns_per_minute
        taken = await connection.execute(_TAKE, {"tenant": owner.tenant, "user": owner.user_id, "step": step})
        if await taken.fetchone() is None:
            raise LimitError(
                f"More than {settings.turns_per_minute} messages in a minute. Send it again in {step:.0f} seconds, or "
                "raise SUPPORTPILOT_TURNS_PER_MINUTE."
            )
