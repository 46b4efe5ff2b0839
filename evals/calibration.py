"""Fitting what the search weighs by: ``python -m evals.calibration --corpora DIR…``.

From labelled questions, each over the folder that it names, come the weights of the second stage
(``store/calibration/ranking.json``) and the regressions of the confidence (``confidence.json``). Both are judged one
corpus left out at a time. The collections are kept, so that a second run need not embed anything.
"""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from evals.corpora import DATA, SAMPLE, Corpus, load_corpus
from evals.database import own_database
from evals.logistic import logistic
from evals.ranking import auroc
from evals.relevance import Piece, gold, is_article, is_section
from graph.support import open_knowledge_only
from store.confidence import ANSWERABLE, Features, passage_features
from store.ingest import ingest
from store.knowledge import Knowledge, find_collection
from store.legs import lexical_leg
from store.lexical import terms
from store.refinement import refine
from store.rescoring import look_again, read_question
from store.search import DEPTH, RERANKED, dense_candidates, ranked
from store.settings import PROJECT, load_settings

CALIBRATION = PROJECT / "store" / "calibration"
RANKING = ("hybrid", "meaning", "refined")
REGRESSIONS = (
    ("cosine", "refined", "coverage", "meaning", "foreign"),
    ("cosine", "coverage", "meaning", "foreign"),
    ("cosine", "coverage", "foreign"),
)
"""Features of the confidence, the most informed regression first."""
UNKNOWN = (("refined", "coverage", "meaning", "foreign"), ("coverage", "meaning", "foreign"), ("coverage",))
"""The same for embedders whose cosines nobody labelled."""
RIDGE = 0.03

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """A question and what the search saw of its candidates, one row each."""

    corpus: str
    answerable: bool
    features: dict[str, Array]
    article: NDArray[np.bool_]
    section: NDArray[np.bool_]


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
            for embedder, sets in ((_EMBEDDER, REGRESSIONS), ("*", UNKNOWN))
        },
    }
    judged = {"n": len(cases), "ranking": judge_ranking(cases)} | {
        " ".join(names): judge_confidence(cases, names) for names in (*REGRESSIONS, *UNKNOWN)
    }
    Console().print_json(json.dumps({"fitted": found, "corpora left out": judged}))
    if write:
        for name, content in found.items():
            (CALIBRATION / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


_EMBEDDER = "universal-sentence-encoder-multilingual-3"


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


def fit_ranking(cases: Sequence[Case]) -> Features:
    """Fit weights so that passages of the right section get the most of a softmax over the candidates (ListNet, Cao et al. 2007)."""
    lists = [
        (np.stack([case.features[name] for name in RANKING], axis=1), case.section / case.section.sum())
        for case in cases
        if case.section.any()
    ]
    scale = np.concatenate([rows for rows, _ in lists]).std(axis=0)
    weights = np.zeros(len(RANKING))
    for _ in range(1_500):
        gradient = RIDGE * weights
        for rows, target in lists:
            scores = np.exp((scores := rows / scale @ weights) - scores.max())
            gradient = gradient + (rows / scale).T @ (scores / scores.sum() - target) / len(lists)
        weights = weights - 0.3 * gradient
    return dict(zip(RANKING, (weights / scale).tolist(), strict=True))


def fit_confidence(cases: Sequence[Case], names: Sequence[str], ranking: Features) -> Features:
    """Fit a logistic regression with a ridge on the best passage of each question.

    Questions with and without an answer weigh alike.
    """
    rows, answers = _best(cases, names, ranking), np.array([case.answerable for case in cases], float)
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-9)
    share = np.where(answers == 1, 0.5 / answers.sum(), 0.5 / (1 - answers).sum())
    weights = logistic((rows - mean) / scale, answers, RIDGE, share)
    slopes = weights[1:] / scale
    fitted = {"intercept": weights[0] - mean @ slopes} | dict(zip(names, slopes, strict=True))
    return {name: round(float(value), 3) for name, value in fitted.items()}


def judge_ranking(cases: Sequence[Case]) -> Features:
    """Return how often the right section and article come first, each corpus ranked by weights fitted on the others."""
    hybrid, fitted = [], []
    for kept, left in _left_out(cases):
        weights = fit_ranking(kept)
        for case in left:
            if case.answerable:
                hybrid.append(np.argmax(case.features["hybrid"]))
                fitted.append(np.argmax(_scores(case, weights)))
    asked = [case for _, left in _left_out(cases) for case in left if case.answerable]
    return {
        f"{name}.{kind}@1": round(
            float(np.mean([getattr(case, kind)[at] for case, at in zip(asked, first, strict=True)])), 4
        )
        for name, first in (("hybrid", hybrid), ("rerank", fitted))
        for kind in ("article", "section")
    }


def judge_confidence(cases: Sequence[Case], names: Sequence[str]) -> Features:
    """Return how well confidences tell questions with an answer from others, each corpus judged by the other ones."""
    sure: list[float] = []
    answers: list[bool] = []
    for kept, left in _left_out(cases):
        ranking = fit_ranking(kept)
        weights = fit_confidence(kept, names, ranking)
        rows = _best(left, names, ranking)
        sure += (rows @ np.array([weights[name] for name in names]) + weights["intercept"]).tolist()
        answers += [case.answerable for case in left]
    held = [value for value, answer in zip(sure, answers, strict=True) if answer]
    none = [value for value, answer in zip(sure, answers, strict=True) if not answer]
    threshold = math.log(ANSWERABLE / (1 - ANSWERABLE))
    return {
        "auroc": round(auroc(held, none), 3),
        "needless_escalation": round(float(np.mean(np.array(held) < threshold)), 3),
        "missed_unanswerable": round(float(np.mean(np.array(none) >= threshold)), 3),
    }


def _left_out(cases: Sequence[Case]) -> list[tuple[list[Case], list[Case]]]:
    names = dict.fromkeys(case.corpus for case in cases)
    return [
        ([case for case in cases if case.corpus != name], [case for case in cases if case.corpus == name])
        for name in names
    ]


def _best(cases: Sequence[Case], names: Sequence[str], ranking: Features) -> Array:
    places = [int(np.argmax(_scores(case, ranking))) for case in cases]
    return np.array(
        [[case.features[name][place] for name in names] for case, place in zip(cases, places, strict=True)]
    )


def _scores(case: Case, weights: Features) -> Array:
    scores: Array = np.sum([weights[name] * case.features[name] for name in RANKING], axis=0)
    return scores


if __name__ == "__main__":
    typer.run(main)
