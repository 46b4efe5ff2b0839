"""Vectors of memories by the slower model: made once a conversation was read, looked up beside the store's own.

They stand beside the memories and go with them: what deletes a memory, or its text, deletes its vector.
"""

from psycopg import errors

from store.embedding import Embedder, Vector
from store.memory import KINDS, embedded_text, namespace
from store.postgres import Pool
from store.threads import Owner

REFINED = """
CREATE TABLE IF NOT EXISTS memory_refined (
    prefix text NOT NULL, key text NOT NULL, embedder text NOT NULL, embedding vector NOT NULL,
    PRIMARY KEY (prefix, key), FOREIGN KEY (prefix, key) REFERENCES store (prefix, key) ON DELETE CASCADE
)
"""
_MISSING = """
SELECT prefix, key, s.value->>'text' AS text FROM store s LEFT JOIN memory_refined r USING (prefix, key)
WHERE prefix = ANY(%s) AND r.embedder IS DISTINCT FROM %s ORDER BY prefix, key
"""
_ADD = """
INSERT INTO memory_refined (prefix, key, embedder, embedding)
SELECT prefix, key, %s, %s::vector FROM store WHERE prefix = %s AND key = %s AND value->>'text' = %s
ON CONFLICT (prefix, key) DO UPDATE SET embedder = excluded.embedder, embedding = excluded.embedding
"""
_NEAR = """
SELECT key, 1 - (embedding <=> %s::vector) AS cosine FROM memory_refined
WHERE prefix = ANY(%s) AND embedder = %s
"""


async def refine_memories(pool: Pool, refiner: Embedder, owner: Owner) -> int:
    """Embed what of a user's memories the slower model has not embedded yet, and return how many that were.

    A memory that is forgotten or changed meanwhile is left out.
    """
    async with pool.connection() as connection:
        missing = await (await connection.execute(_MISSING, (_prefixes(owner), refiner.name))).fetchall()
    for row in missing:
        (vector,) = await refiner.embed_documents([embedded_text(row["text"])])
        values = (refiner.name, str(vector), row["prefix"], row["key"], row["text"])
        async with pool.connection() as connection:
            try:
                await connection.execute(_ADD, values)
            except errors.ForeignKeyViolation:
                continue  # forgotten at this very moment
    return len(missing)


async def refined_cosines(pool: Pool, refiner: Embedder, owner: Owner, query: Vector) -> dict[str, float]:
    """Return the cosine with a question of each memory that the slower model has embedded, by the memory's id.

    Args:
        pool: the database.
        refiner: the slower model.
        owner: whose memories.
        query: the question, embedded by it.
    """
    async with pool.connection() as connection:
        cursor = await connection.execute(_NEAR, (str(query), _prefixes(owner), refiner.name))
        return {row["key"]: float(row["cosine"]) for row in await cursor.fetchall()}


def _prefixes(owner: Owner) -> list[str]:
    return [".".join(namespace(owner, kind)) for kind in KINDS]
