"""Whole articles, as the passages that they were cut into."""

from dataclasses import dataclass

from psycopg.sql import SQL

from store.collection_tables import chunks_table
from store.errors import RetrievalError
from store.knowledge import Knowledge, find_collection
from store.search import Passage


@dataclass(frozen=True, slots=True)
class Article:
    """A whole document of a collection; its passages in the order of the text."""

    doc_id: str
    title: str
    passages: tuple[Passage, ...]


async def get_article(knowledge: Knowledge, doc_id: str, *, collection: str) -> Article:
    """Return a whole document.

    Args:
        knowledge: the index.
        doc_id: id of the document; a passage's id is not one.
        collection: the collection that holds it.

    Raises:
        RetrievalError: the collection is unknown, or it holds no such document; the message says how the ids
            look.
    """
    found = await find_collection(knowledge, collection)
    statement = SQL(
        "SELECT langchain_id AS id, title, section, text FROM {} WHERE doc_id = %s ORDER BY position"
    ).format(chunks_table(found.id))
    async with knowledge.pool.connection() as connection:
        rows = await (await connection.execute(statement, (doc_id,))).fetchall()
        if not rows:
            cursor = await connection.execute(
                """SELECT doc_id FROM documents WHERE collection = %s
                   ORDER BY doc_id = %s DESC, doc_id LIMIT 1""",
                (found.id, doc_id.partition("#")[0]),
            )
            like = await cursor.fetchone()
            raise RetrievalError(_no_article(doc_id, collection, like["doc_id"] if like else ""))
    passages = (Passage(doc_id=doc_id, score=1.0, confidence=1.0, **row) for row in rows)
    return Article(doc_id, rows[0]["title"], tuple(passages))


def _no_article(doc_id: str, collection: str, like: str) -> str:
    remedy = f"Ids of articles look like {like!r}, without '#': " if like else ""
    return f"Collection {collection!r} holds no article {doc_id!r}. {remedy}take one from a search's result."
