"""How a new memory stands to an old one: duplicate, update, contradiction or different.

A multinomial logistic regression over the differences that `nodes.memory.features` finds. No threshold of
similarity can tell these apart: an update is often nearer to the old memory than a duplicate is.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from nodes.memory.features import Difference, compare
from nodes.memory.wording import core

Relation = Literal["duplicate", "update", "contradiction", "different"]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

_LITTLE, _FAR = 0.5, 0.5
"""With fewer words and less meaning in common than this, two memories have nothing to do with each other, unless they speak
of one slot; where a word of one could stand for a word of the other, half as many words are enough."""
_WEIGHTS = "judge_weights.json"


@dataclass(frozen=True, slots=True)
class Similarity:
    """What an embedder says of two memories.

    Attributes:
        embedder: its name; weights belong to one embedder.
        whole: cosine of the two memories.
        rest: cosine of the words that only one has; 0 when one has none.
    """

    embedder: str
    whole: float
    rest: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """A relation and its probability, in [0, 1]."""

    relation: Relation
    probability: float


def judge(old: str, new: str, similarity: Similarity | None = None) -> Verdict:
    """Judge how a new memory stands to an old one of the same user.

    Args:
        old: the memory that is there.
        new: the memory that comes.
        similarity: the embedder's view; without it, or for an embedder without weights of its own, words
            alone decide.
    """
    return judge_difference(compare(old, new), similarity)


def judge_difference(
    difference: Difference,
    similarity: Similarity | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Verdict:
    """Judge a difference that is known already.

    Args:
        difference: how the memories differ.
        similarity: as for `judge`.
        weights: weights for these features, shape (features, relations); default: those of the embedder.
    """
    known = weights is not None or (similarity is not None and similarity.embedder in _weights())
    name = similarity.embedder if known and similarity else ""
    scores = vector(difference, similarity if known else None) @ (
        _weights()[name] if weights is None else weights
    )
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    best = int(chances.argmax())
    if similarity is not None and _unrelated(difference, similarity):
        best = RELATIONS.index("different")
    elif difference.persons and not difference.changed:
        best = RELATIONS.index("different")  # what holds of somebody else says nothing of the user
    elif RELATIONS[best] in {"duplicate", "update"} and difference.negated and not difference.changed:
        best = RELATIONS.index("contradiction")  # a denial names no new value
    return Verdict(RELATIONS[best], float(chances[best]))


def _unrelated(difference: Difference, similarity: Similarity) -> bool:
    little = _LITTLE / 2 if difference.swapped or difference.names else _LITTLE
    return difference.slots != 1 and difference.overlap < little and similarity.whole < _FAR


def texts_to_embed(old: str, new: str) -> tuple[str, str, str, str]:
    """Return what `Similarity` compares: both memories without their subject, and what only one of them has."""
    difference = compare(old, new)
    return core(old), core(new), difference.old_only or "-", difference.new_only or "-"


def vector(difference: Difference, similarity: Similarity | None) -> NDArray[np.float64]:
    """Return a difference as the features of the regression, shape (n,)."""
    d = difference
    both = bool(d.old_only and d.new_only)
    swapped = d.swapped or d.names
    features = [
        1.0, d.overlap, d.bigrams, d.head, d.tail, d.head == 0, d.tail and d.head == 0,
        d.negated, d.negated * d.overlap, d.negated * d.bigrams, d.changed, d.changed * d.overlap, d.now, d.now * d.overlap,
        d.numbers == 1, d.numbers == -1, (d.numbers == -1) * d.overlap, (d.numbers == 1) and both,
        d.dates == 1, d.dates == -1, d.codes == 1, d.codes == -1,
        not d.old_only, not d.new_only, both, not d.old_only and not d.new_only,
        d.swapped, d.swapped * d.overlap, d.names, d.names * d.overlap, d.persons, d.topics, swapped and d.topics,
        d.happened, d.happened and both and not d.changed,
        d.slots == 1, d.slots == -1, d.values == 1, d.values == -1,
    ]  # fmt: skip
    if similarity is not None:
        features += [similarity.whole, similarity.rest, d.negated * similarity.whole]
    return np.array(features, dtype=np.float64)


@cache
def _weights() -> dict[str, NDArray[np.float64]]:
    stored = json.loads((files("nodes.memory") / _WEIGHTS).read_text("utf-8"))
    return {name: np.array(rows, dtype=np.float64) for name, rows in stored.items()}
