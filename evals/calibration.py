"""Fitting what the search weighs by: ``python -m evals.calibration --corpora DIR…``.

From labelled questions, each over the folder that it names, come the weights of the second stage
(``store/calibration/ranking.json``) and the regressions of the confidence (``confidence.json``). Both are judged one
corpus left out at a time.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track

from evals.corpora import DATA, SAMPLE, Corpus, load_corpus
from evals.database import own_database
from evals.fitting import RANKING, Case, fit_confidence, fit_ranking, judge_confidence, judge_ranking
from evals.relevance import Piece, gold, is_article, is_section
from graph.support import open_knowledge_only
from store.confidence import passage_features
from store.embedding import BundledEmbedder
from store.ingest import ingest
from store.knowledge import Knowledge, find_collection
from store.legs import lexical_leg
from store.lexical import terms
from store.refinement import refine
from store.rescoring import look_again, read_question
from store.search import DEPTH, RERANKED, dense_candidates, ranked
from store.settings import PROJECT, load_settings

CALIBRATION = PROJECT / "store" / "calibration"
REGRESSIONS = (
    ("cosine", "refined", "coverage", "meaning", "foreign"),
    ("cosine", "coverage", "meaning", "foreign"),
    ("cosine", "coverage", "foreign"),
)
"""Features of the confidence, the most informed regression first."""
UNKNOWN = (("refined", "coverage", "meaning", "foreign"), ("coverage", "meaning", "foreign"), ("coverage",))
"""The same for embedders whose cosines nobody labelled."""


def main(
    corpora: Annotated[list[Path], typer.Option(help="Folders that the questions name.")],
    data: Annotated[Path, typer.Option(help="Labelled questions, JSON Lines.")] = DATA,
    write: Annotated[bool, typer.Option(help="Write the calibration that the search reads.")] = False,
) -> None:
    """Fit, print how well that does on corpora that were left out, and write the data if asked to."""
    cases = asyncio.run(_cases([SAMPLE, *corpora], data))
    weights = fit_ranking(cases)
    found = {
        "ranking": {name: round(weights[name] / weights["hybrid"], 3) for name in RANKING[1:]},
        "confidence": {
            embedder: [fit_confidence(cases, names, weights) for names in sets]
            for embedder, sets in ((BundledEmbedder.name, REGRESSIONS), ("*", UNKNOWN))
        },
    }
    judged = {"n": len(cases), "ranking": judge_ranking(cases)} | {
        " ".join(names): judge_confidence(cases, names) for names in (*REGRESSIONS, *UNKNOWN)
    }
    Console().print_json(json.dumps({"fitted": found, "corpora left out": judged}))
    if write:
        for name, content in found.items():
            (CALIBRATION / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


async def _cases(folders: Sequence[Path], data: Path) -> list[Case]:
    async with (
        own_database(load_settings(chat_model="offline")) as configured,
        open_knowledge_only(configured) as opened,
    ):
        cases = []
        for folder in folders:
            corpus = load_corpus(folder, data, split="dev")
            name = f"calibration-{folder.name}"
            await ingest(opened.knowledge, folder, name)
            await refine(opened.knowledge, name)
            asked = list(corpus.asked("single", "followup", "unanswerable"))
            for question, text in track(asked, folder.name, console=Console(stderr=True)):
                cases.append(await _case(opened.knowledge, name, corpus, question, text))
        return cases


async def _case(
    knowledge: Knowledge, name: str, corpus: Corpus, question: Mapping[str, Any], text: str
) -> Case:
    collection, asked = await find_collection(knowledge, name), terms(text)
    lexical = await lexical_leg(knowledge, collection, asked, DEPTH)
    dense = await dense_candidates(knowledge, collection, text)
    ranking = ranked(asked, lexical, dense, collection, "hybrid")[:RERANKED]
    first = [candidate for candidate, _ in ranking]
    looks = await look_again(
        knowledge, collection, text, await read_question(knowledge, text), lexical, first
    )
    rows = passage_features(asked, first, lexical, dense, collection, looks)
    features = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    paths = {document.doc_id: document.source for document in corpus.documents}
    wanted = gold(question, corpus.bodies)
    pieces = [Piece(paths[each.doc_id], each.text) for each in first]
    return Case(
        corpus.folder.name,
        question["kind"] != "unanswerable",
        features | {"hybrid": np.array([score for _, score in ranking])},
        np.array([any(is_article(piece, one) for one in wanted) for piece in pieces], bool),
        np.array([any(is_section(piece, one) for one in wanted) for piece in pieces], bool),
    )


if __name__ == "__main__":
    typer.run(main)
