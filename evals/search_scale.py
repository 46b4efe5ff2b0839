"""The suite `search_scale`: how long a search takes as a collection grows, beside PGVectorStore's own hybrid."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any
from uuid import uuid4

import numpy as np
from psycopg.sql import SQL

from evals import plots
from evals.corpora import DATA, Corpus, load_corpus
from evals.intervals import Metric, metric, percentile
from evals.plain import PLAIN, PlainIndex
from evals.results import result, versioned
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.look_up import PASSAGES
from store.chunking import Chunk, chunk
from store.collection_tables import chunks_table, postings_table
from store.documents import Document
from store.embedding import Vector
from store.index import index_vectors, write_document
from store.knowledge import Knowledge, begin, delete_collection, publish
from store.lexical import fold, words
from store.search import DEFAULT_MODE, MODES, search

ABOUT = "search times at 100, 1,000 and 10,000 chunks (100,000 with --full), beside PGVectorStore's hybrid"
BOUNDS = {"chunks.search_p95_ratio_10k": ("<=", 2.0), "chunks.search_p95_ms_10k": ("<=", 60.0)}
HOW = [
    "A chunk is made of halves of two articles' chunks, its vector of theirs with some noise; terms are its own.",
    "Every question is asked once to warm up, then timed, its embedding included, one at a time.",
    "`refined` vectors are random: they are looked up and reckoned with like real ones.",
]
SIZES = {"100": 100, "1k": 1_000, "10k": 10_000}
FULL = {"100k": 100_000}
_QUESTIONS = 40
_IN_DOCUMENT = 20
_REFINED = 384
Rows = list[dict[str, Any]]


async def measure(options: Options) -> Result:
    """Time searches in collections of growing size."""
    data = options.data or DATA
    corpus = load_corpus(options.corpus, data)
    texts = [text for _, text in corpus.asked("single")][: options.sample or _QUESTIONS]
    sizes = SIZES | (FULL if options.full else {})
    async with open_knowledge_only(options.settings) as opened:
        rows = [
            row
            for name, size in options.track(list(sizes.items()))
            for row in await _timed(opened.knowledge, corpus, texts, size, name)
        ]
        embedding = opened.knowledge.embedder.name
    metrics = _metrics(rows, len(texts))
    return result(
        "search_scale",
        n=len(texts),
        dataset=versioned(data),
        metrics=metrics,
        bounds=BOUNDS,
        baselines={
            PLAIN: {
                f"chunks.search_p{cut}_ms_{row['size']}": row[f"p{cut}_ms"]
                for row in rows
                for cut in (50, 95)
                if row["way"] == PLAIN
            }
        },
        rows=rows,
        model="none",
        embedding=embedding,
        how=HOW,
        plots=[
            plots.lines(
                "p95 of a search",
                {
                    way: [(row["chunks"], row["p95_ms"]) for row in rows if row["way"] == way]
                    for way in (*MODES, PLAIN)
                },
                x="chunks",
                y="ms",
                log=True,
            )
        ],
    )


def _metrics(rows: Rows, n: int) -> dict[str, Metric]:
    found = {
        f"chunks.{row['way']}.search_p{cut}_ms_{row['size']}": metric(row[f"p{cut}_ms"], n)
        for row in rows
        for cut in (50, 95)
        if row["way"] != PLAIN
    }
    for name in dict.fromkeys(row["size"] for row in rows):
        ours, plain = (
            next(row for row in rows if row["size"] == name and row["way"] == way)
            for way in (DEFAULT_MODE, PLAIN)
        )
        found[f"chunks.search_p95_ms_{name}"] = metric(ours["p95_ms"], n)
        found[f"chunks.search_p95_ratio_{name}"] = metric(ours["p95_ms"] / plain["p95_ms"], n)
    return found


async def _timed(knowledge: Knowledge, corpus: Corpus, texts: Sequence[str], size: int, name: str) -> Rows:
    made = await _made(knowledge, corpus, size)
    rows = []
    async with _collection(knowledge, made) as collection:
        for mode in MODES:
            ours = partial(search, knowledge, collection=collection, mode=mode, k=PASSAGES)
            rows.append(_row(mode, name, size, await _spent(texts, ours)))
    async with PlainIndex.of(
        knowledge, [(each, each.doc_id) for each, _ in made], [v for _, v in made]
    ) as index:
        plain = partial(index.hybrid, k=PASSAGES)
        return [*rows, _row(PLAIN, name, size, await _spent(texts, plain))]


async def _spent(texts: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> list[float]:
    """Return the milliseconds of each question, all of which were asked once before."""
    spent = []
    for text in (*texts, *texts):
        began = perf_counter()
        await ask(text)
        spent.append(1_000 * (perf_counter() - began))
    return spent[len(texts) :]


def _row(way: str, name: str, size: int, spent: Sequence[float]) -> dict[str, Any]:
    times = {f"p{cut}_ms": round(percentile(spent, cut / 100), 1) for cut in (50, 95)}
    return {"id": f"{way}-{name}", "way": way, "size": name, "chunks": size, **times}


async def _made(knowledge: Knowledge, corpus: Corpus, size: int) -> list[tuple[Chunk, Vector]]:
    """Return chunks made of halves of two chunks of the corpus, with vectors between theirs."""
    base = [each for document in corpus.documents for each in chunk(document)]
    vectors = np.asarray(await knowledge.embedder.embed_documents([fold(each.indexed) for each in base]))
    draw = np.random.default_rng(0)
    made = []
    for number in range(size):
        one, other = draw.integers(len(base), size=2).tolist()
        mixed = vectors[one] + vectors[other] + draw.normal(0, 0.02, vectors.shape[1])
        text = (
            base[one].indexed[: len(base[one].indexed) // 2]
            + base[other].indexed[len(base[other].indexed) // 2 :]
        )
        document = f"made-{number // _IN_DOCUMENT}"
        made.append(
            (
                replace(
                    base[one],
                    id=f"{document}#{number % _IN_DOCUMENT + 1}",
                    doc_id=document,
                    text=text,
                    indexed=text,
                ),
                (mixed / np.linalg.norm(mixed)).tolist(),
            )
        )
    return made


@asynccontextmanager
async def _collection(knowledge: Knowledge, made: Sequence[tuple[Chunk, Vector]]) -> AsyncIterator[str]:
    """Write chunks into a collection of their own, refined and all, and drop it afterwards."""
    name = f"eval-{uuid4().hex[:12]}"
    async with knowledge.pool.connection() as connection:
        number = await begin(knowledge, connection, name, "made")
        await publish(connection, number, name)
        for start in range(0, len(made), _IN_DOCUMENT):
            part = made[start : start + _IN_DOCUMENT]
            key = part[0][0].doc_id
            document = Document(doc_id=key, title=key, category="", body="", warnings=(), source=key)
            await write_document(
                connection, number, document, [each for each, _ in part], [vector for _, vector in part], key
            )
        await index_vectors(connection, number)
        tables = {"chunks": chunks_table(number), "postings": postings_table(number)}
        await connection.execute(SQL("VACUUM (ANALYZE) {chunks}, {postings}").format(**tables))
        if (second := knowledge.second_stage) and second.refiner:
            await second.vocabulary.learn(word for each, _ in made for word in words(each.indexed))
            await connection.execute(
                SQL(
                    """INSERT INTO refined SELECT %s, number, %s,
                         ARRAY(SELECT random() - 0.5 + 0 * number FROM generate_series(1, %s))::real[]::vector
                       FROM {chunks}"""
                ).format(**tables),
                (number, second.refiner.name, _REFINED),
            )
    try:
        yield name
    finally:
        await delete_collection(knowledge, name)
