"""What a message is, told by its meaning: small talk, a question, a comparison, something to be done and so on.

A softmax regression over the vector of the bundled sentence encoder. `evals.intent_fit` fits its weights to the
labelled messages of ``evals/data/intents.jsonl`` and reports its accuracy by cross-validation.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from store.embedding import encode
from store.text import head

Intent = Literal[
    "smalltalk", "wish", "memory", "question", "comparison", "everything", "account", "action", "person"
]
INTENTS: tuple[Intent, ...] = get_args(Intent)
WEIGHTS = Path(__file__).with_name("intent_weights.json")
"""Intent → its bias, then a weight for each dimension of the encoder."""
LIKELY = 0.5
_READ = 300
"""Letters that are read (see `store.text.head`): longer messages say what they are in their beginning, or are questions."""


def means(message: str, *meant: Intent) -> bool:
    """Tell whether a message is likely one of some intents.

    Args:
        message: what the user wrote.
        *meant: their probabilities are added up.
    """
    found = intents(message)
    return sum(found[one] for one in meant) > LIKELY


@lru_cache(maxsize=4096)
def intents(message: str) -> Mapping[Intent, float]:
    """Return the probability of each intent.

    The first call with a message takes the encoder's time, about five milliseconds; a coroutine makes it in a thread.

    Args:
        message: what the user wrote.
    """
    scores = np.array([1.0, *encode([vector_text(message)])[0]]) @ _weights().T
    chances = np.exp(scores - scores.max())
    return dict(zip(INTENTS, (chances / chances.sum()).tolist(), strict=True))


def vector_text(message: str) -> str:
    """Return what of a message is encoded."""
    return head(message.strip(), _READ)


@lru_cache(maxsize=1)
def _weights() -> NDArray[np.float64]:
    """Return the weights, shape (intents, 1 + dimensions)."""
    stored = json.loads(WEIGHTS.read_text("utf-8"))
    return np.array([stored[intent] for intent in INTENTS])
