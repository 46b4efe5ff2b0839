"""The suite `chunking`: what the same dense ranking finds when articles are cut in other ways."""

from collections.abc import Callable, Mapping, Sequence
from statistics import mean
from typing import Any

import numpy as np
from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

from evals import plots
from evals.corpora import DATA, Corpus, load_corpora
from evals.intervals import metric
from evals.ranking import figures, row
from evals.relevance import Piece, gold
from evals.results import result, versioned
from evals.suite import Bounds, Options, Result
from graph.support import open_knowledge_only
from store.chunking import chunk
from store.documents import Document
from store.embedding import Embedder
from store.lexical import fold

ABOUT = "heading chunks beside windows and LangChain's splitters"
BOUNDS: Bounds = {}
WINDOW, OVERLAP = 400, 80
_DEPTH = 50
_BATCH = 256
Cut = tuple[str, str]
"""What is shown, and what is embedded."""


def _by_headings(document: Document) -> list[Cut]:
    return [(each.text, each.indexed) for each in chunk(document)]


def _windows(document: Document) -> list[Cut]:
    step = WINDOW - OVERLAP
    last = max(1, len(document.body) - OVERLAP)
    return [(text, text) for start in range(0, last, step) if (text := document.body[start : start + WINDOW])]


def _langchain_markdown(document: Document) -> list[Cut]:
    levels = [("#" * level, f"h{level}") for level in range(1, 7)]
    pieces = MarkdownHeaderTextSplitter(levels).split_text(document.body)
    return [(piece.page_content, piece.page_content) for piece in pieces]


def _langchain_recursive(document: Document) -> list[Cut]:
    return [(text, text) for text in RecursiveCharacterTextSplitter().split_text(document.body)]


SPLITTERS: Mapping[str, Callable[[Document], list[Cut]]] = {
    "heading chunks": _by_headings,
    "400/80 windows": _windows,
    "LangChain MarkdownHeaderTextSplitter": _langchain_markdown,
    "LangChain RecursiveCharacterTextSplitter": _langchain_recursive,
}


async def measure(options: Options) -> Result:
    """Run the suite on the help centre that a run names, or on a folder of several."""
    corpora, files = load_corpora(options.corpus, options.data or DATA)
    async with open_knowledge_only(options.settings) as opened:
        return await run(opened.knowledge.embedder, corpora, versioned(*files))


async def run(embedder: Embedder, corpora: Sequence[Corpus], dataset: str) -> Result:
    """Run the suite on some corpora, their questions taken together.

    Args:
        embedder: ranks all cuts alike, by cosine.
        corpora: articles and questions.
        dataset: how the data set is named in the result.
    """
    found, rows = {}, []
    for name, splitter in SPLITTERS.items():
        ranked, sizes = [], []
        for corpus in corpora:
            cuts = [(document.source, cut) for document in corpus.documents for cut in splitter(document)]
            ranked += await _ranked(embedder, corpus, cuts)
            sizes += [len(shown) for _, (shown, _) in cuts]
        rows += [each | {"splitter": name} for each in ranked]
        found[name] = figures(ranked) | {
            "chunks": metric(len(sizes), len(sizes)),
            "characters": metric(mean(sizes), len(sizes)),
        }
    ours, *others = SPLITTERS
    return result(
        "chunking",
        n=sum(len(corpus.questions) for corpus in corpora),
        dataset=dataset,
        metrics=found[ours],
        bounds=BOUNDS,
        baselines={name: {key: each["value"] for key, each in found[name].items()} for name in others},
        rows=rows,
        model="none",
        embedding=embedder.name,
        plots=[
            plots.bars(name, {splitter: each[name]["value"] for splitter, each in found.items()}, ours=ours)
            for name in ("art@1", "sec@1", "sec@5")
        ],
    )


async def _ranked(embedder: Embedder, corpus: Corpus, cuts: list[tuple[str, Cut]]) -> list[dict[str, Any]]:
    vectors = np.asarray(
        [
            vector
            for start in range(0, len(cuts), _BATCH)
            for vector in await embedder.embed_documents(
                [fold(embedded) for _, (_, embedded) in cuts[start : start + _BATCH]]
            )
        ]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = []
    for question, text in corpus.asked("single", "followup"):
        cosines = vectors @ np.asarray(await embedder.embed_query(fold(text)))
        best = [cuts[place] for place in np.argsort(-cosines, kind="stable")[:_DEPTH]]
        pieces = [Piece(path, shown) for path, (shown, _) in best]
        rows.append(row(question, pieces, gold(question, corpus.bodies)))
    return rows
