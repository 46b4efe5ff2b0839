"""Fit the weights of `nodes.intents` to the labelled messages: ``python -m evals.intent_fit``.

Beside the messages of ``intents.jsonl``, the questions by which search and rewriting were tuned count as questions:
what users ask is far more varied than how they thank.
"""

import json
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evals import jsonl
from nodes.intents import INTENTS, WEIGHTS, vector_text
from store.embedding import encode

DATA = Path(__file__).parent / "data" / "intents.jsonl"
QUESTIONS = Path(__file__).parent / "data" / "retrieval.jsonl"
FOLLOW_UPS = Path(__file__).parent / "data" / "followups.jsonl"
ONE_QUESTION = ("single", "unanswerable", "followup")
L2 = 0.1
"""On the penalty of the weights little depends: with 0.03, 0.1 and 0.3 the ways of 234 labelled messages that were not
fitted to go right within two points of each other (`routing.jsonl`, split ``test``)."""
RARE = 0.25
"""An intent of n messages counts n ** -RARE a message, so that there being many questions does not decide."""
RATE, ROUNDS = 0.1, 600

Floats = NDArray[np.float64]


def examples() -> tuple[list[str], NDArray[np.int64]]:
    """Return the messages, and the place of each one's intent in `INTENTS`."""
    labelled = [(row["text"], row["label"]) for row in jsonl.rows(DATA)]
    asked = [*jsonl.rows(QUESTIONS), *jsonl.rows(FOLLOW_UPS, "dev")]
    labelled += [(row["question"], "question") for row in asked if row["kind"] in ONE_QUESTION]
    return [text for text, _ in labelled], np.array([INTENTS.index(label) for _, label in labelled])


def encoded(texts: list[str]) -> Floats:
    """Return the encoder's vectors behind a constant 1, shape (texts, 1 + dimensions)."""
    vectors = np.array(encode([vector_text(text) for text in texts]))
    return np.hstack([np.ones((len(texts), 1)), vectors])


def fit(x: Floats, y: NDArray[np.int64]) -> Floats:
    """Fit a softmax regression by Adam (Kingma and Ba 2015), shape (intents, features); the bias is not penalised."""
    weight = np.array([Counter(y.tolist())[label] ** -RARE for label in y.tolist()])
    weight /= weight.mean()
    target, penalty = np.eye(len(INTENTS))[y], np.full((x.shape[1], 1), L2)
    penalty[0] = 0
    weights = np.zeros((x.shape[1], len(INTENTS)))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, ROUNDS + 1):
        slope = (x.T @ ((chances(x, weights.T) - target) * weight[:, None]) + penalty * weights) / len(x)
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights.T


def chances(x: Floats, weights: Floats) -> Floats:
    """Return the probabilities, shape (texts, intents)."""
    scores = x @ weights.T
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Floats = grown / grown.sum(axis=1, keepdims=True)
    return shares


def cross_validated(x: Floats, y: NDArray[np.int64], folds: int = 10) -> NDArray[np.int64]:
    """Return the likeliest intent of each message by weights that were fitted without it."""
    fold = np.random.default_rng(0).integers(0, folds, len(x))
    found = np.zeros(len(x), dtype=np.int64)
    for part in range(folds):
        found[fold == part] = chances(x[fold == part], fit(x[fold != part], y[fold != part])).argmax(axis=1)
    return found


def main() -> None:
    """Print the cross-validated accuracy by intent, and store weights that were fitted to all messages."""
    texts, y = examples()
    x = encoded(texts)
    found = cross_validated(x, y)
    print(f"accuracy {np.mean(found == y):.3f} of {len(y)}")  # noqa: T201
    for place, intent in enumerate(INTENTS):
        print(f"{intent}: recall {np.mean(found[y == place] == place):.3f}, precision {np.mean(y[found == place] == place):.3f}")  # noqa: T201  # fmt: skip
    rows = [
        f"  {json.dumps(intent)}: {json.dumps([round(float(one), 3) for one in row])}"
        for intent, row in zip(INTENTS, fit(x, y), strict=True)
    ]
    WEIGHTS.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
