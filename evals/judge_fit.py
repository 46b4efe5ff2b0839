"""Fit the weights of `nodes.memory.judge` to the labelled pairs: ``python -m evals.judge_fit [PAIRS…]``."""

import asyncio
import json
import random
import sys
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
from numpy.typing import NDArray

import nodes.memory.judge
from evals import jsonl
from nodes.memory.features import compare
from nodes.memory.judge import RELATIONS, Similarity, Verdict, judge_difference, texts_to_embed, vector
from store.embedding import BundledEmbedder

DATA = Path(__file__).parent / "data" / "memory" / "judge.jsonl"
FORM = {"old": str, "new": str, "relation": RELATIONS}
UNRELATED = 1000
"""Random pairs of memories that have nothing to do with each other, counted as different."""
UNRELATED_WEIGHT = 0.3
L2 = 0.0007
ROUNDS = 3000


class Pair(TypedDict):
    """A labelled pair."""

    old: str
    new: str
    relation: str


def load(path: Path = DATA, split: str = "") -> list[Pair]:
    """Read the pairs of a file, of one split if named."""
    return cast("list[Pair]", jsonl.rows(path, split, FORM))


def unrelated(pairs: list[Pair], number: int, seed: int = 7) -> list[Pair]:
    """Return pairs of an old and a new memory that stand in different rows of one language and share no slot."""
    chance = random.Random(seed)  # noqa: S311 - a sample, not a secret
    found: list[Pair] = []
    while len(found) < number:
        one, other = chance.sample(pairs, 2)
        apart = {one["old"], one["new"]}.isdisjoint({other["old"], other["new"]})
        same_language = one["old"].isascii() == other["new"].isascii()
        if apart and same_language and compare(one["old"], other["new"]).slots != 1:
            found.append(Pair(old=one["old"], new=other["new"], relation="different"))
    return found


async def similarities(pairs: list[Pair], embedder: BundledEmbedder) -> list[Similarity]:
    """Return what the embedder says of each pair."""
    texts = [text for pair in pairs for text in texts_to_embed(pair["old"], pair["new"])]
    rows = np.array(await embedder.embed_documents(texts)).reshape(len(pairs), 4, -1)
    empty = ["-" in {texts[4 * n + 2], texts[4 * n + 3]} for n in range(len(pairs))]
    return [
        Similarity(embedder.name, float(a @ b), 0.0 if bare else float(c @ d))
        for (a, b, c, d), bare in zip(rows, empty, strict=True)
    ]


def fit(x: NDArray[np.float64], y: NDArray[np.int64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit a softmax regression by gradient descent, shape (features, relations)."""
    weights = np.zeros((x.shape[1], len(RELATIONS)))
    target = np.eye(len(RELATIONS))[y]
    for _ in range(ROUNDS):
        scores = x @ weights
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        weights -= 0.5 * (x.T @ ((chances - target) * weight[:, None]) / weight.sum() + L2 * weights)
    return weights


def cross_validated(
    pairs: list[Pair],
    said: list[Similarity],
    others: list[Pair],
    said_of_others: list[Similarity],
    *,
    folds: int = 10,
) -> list[Verdict]:
    """Return the verdict on each pair by weights that were fitted without it.

    Args:
        pairs: labelled pairs.
        said: what the embedder says of each.
        others: pairs that have nothing to do with each other; part of every fit.
        said_of_others: what the embedder says of those.
        folds: parts into which the pairs are divided.
    """
    differences = [compare(pair["old"], pair["new"]) for pair in pairs]
    x = np.array([vector(d, s) for d, s in zip(differences, said, strict=True)])
    x_others = np.array(
        [vector(compare(pair["old"], pair["new"]), s) for pair, s in zip(others, said_of_others, strict=True)]
    )
    y = np.array([RELATIONS.index(pair["relation"]) for pair in pairs])
    fold = np.random.default_rng(0).integers(0, folds, len(pairs))
    verdicts: dict[int, Verdict] = {}
    for part in range(folds):
        kept = fold != part
        weights = fit(
            np.vstack([x[kept], x_others]),
            np.concatenate([y[kept], np.full(len(others), RELATIONS.index("different"))]),
            np.concatenate([np.ones(kept.sum()), np.full(len(others), UNRELATED_WEIGHT)]),
        )
        for n in np.flatnonzero(~kept):
            verdicts[int(n)] = judge_difference(differences[n], said[n], weights)
    return [verdicts[n] for n in range(len(pairs))]


async def fitted(pairs: list[Pair]) -> dict[str, NDArray[np.float64]]:
    """Return the weights by embedder; under the empty name those that go by words alone."""
    embedder = BundledEmbedder()
    rows = [*pairs, *unrelated(pairs, UNRELATED)]
    said = await similarities(rows, embedder)
    y = np.array([RELATIONS.index(row["relation"]) for row in rows])
    weight = np.array([1.0] * len(pairs) + [UNRELATED_WEIGHT] * UNRELATED)
    differences = [compare(row["old"], row["new"]) for row in rows]
    with_vectors = np.array([vector(d, s) for d, s in zip(differences, said, strict=True)])
    by_words = np.array([vector(d, None) for d in differences])
    return {"": fit(by_words, y, weight), embedder.name: fit(with_vectors, y, weight)}


if __name__ == "__main__":
    chosen = [pair for path in (sys.argv[1:] or [str(DATA)]) for pair in load(Path(path))]
    weights = asyncio.run(fitted(chosen))
    stored = {name: [[round(float(w), 4) for w in row] for row in rows] for name, rows in weights.items()}
    target_file = Path(nodes.memory.judge.__file__).with_name("judge_weights.json")
    lines = [
        f"  {json.dumps(name)}: [\n    " + ",\n    ".join(map(json.dumps, rows)) + "\n  ]"
        for name, rows in stored.items()
    ]
    target_file.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
