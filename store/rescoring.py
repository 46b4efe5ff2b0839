"""Looking at the first candidates of a search once more, word by word and by the slower model."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from statistics import fmean

import numpy as np

from store.embedding import Vector
from store.knowledge import Collection, Knowledge
from store.legs import Candidate, LexicalAnswer, Ranking
from store.lexical import fold, terms, words
from store.refinement import refined_scores
from store.vocabulary import Vocabulary

Looks = dict[str, dict[str, float]]
"""What was seen of a passage, by its id: ``meaning``, and ``refined`` where the slower model embedded it."""

REPEATED = 0.03
"""What a passage loses for each better one of its article: when the first one is beside the point, so is the second.

On 267 tuning questions, each help centre left out once, it lifts the right article among the first three from 91.0 to
91.8 % and among the first five from 94.0 to 95.1 %; from 0.05 on the right section falls.
"""


async def read_question(knowledge: Knowledge, question: str) -> Vector:
    """Embed a question for the second stage, its words too; beside the first stage this costs no time of its own.

    Returns:
        Its vector by the slower model, empty without one, and for an empty question.
    """
    second = knowledge.second_stage
    if not second or not question:
        return []
    known = second.vocabulary.vectors(words(question), keep=False)  # they stay in the vocabulary's memory
    if not second.refiner:
        await known
        return []
    vector, _ = await asyncio.gather(second.refiner.embed_query(fold(question)), known)
    return vector


async def look_again(
    knowledge: Knowledge,
    collection: Collection,
    question: str,
    vector: Vector,
    lexical: LexicalAnswer,
    candidates: Sequence[Candidate],
) -> Looks:
    """Return what the second stage sees of some passages; nothing where it is not installed.

    Args:
        knowledge: the index.
        collection: what is searched.
        question: the question.
        vector: of the question, from `read_question`.
        lexical: says how rare the question's terms are.
        candidates: the passages.
    """
    second = knowledge.second_stage
    if not second or not candidates:
        return {}
    meanings, refined = await asyncio.gather(
        _meanings(second.vocabulary, question, lexical, collection.chunks, candidates),
        refined_scores(knowledge, collection, [candidate.id for candidate in candidates], vector),
    )
    return {
        candidate.id: {"meaning": meaning}
        | ({"refined": refined[candidate.id]} if candidate.id in refined else {})
        for candidate, meaning in zip(candidates, meanings, strict=True)
    }


def rescored(ranking: Ranking, looks: Looks) -> Ranking:
    """Order the candidates that were looked at again by all that is known; the others stay behind them.

    A passage that the slower model has not embedded yet counts as the mean of those that it has. Passages of one
    article make room for other articles, see `REPEATED`.

    Args:
        ranking: candidates with the score of the first stage, best first.
        looks: what the second stage saw of the first of them.
    """
    seen = [look["refined"] for look in looks.values() if "refined" in look]
    middle = fmean(seen) if seen else 0.0
    weights = _weights()
    more = {
        key: weights["meaning"] * look["meaning"]
        + weights["refined"] * (look.get("refined", middle) - middle)
        for key, look in looks.items()
    }
    least = min(more.values(), default=0.0)
    return _spread([(candidate, score + more.get(candidate.id, least)) for candidate, score in ranking])


def _spread(ranking: Ranking) -> Ranking:
    """Order by score, less `REPEATED` for every better passage of the same article."""
    better: Counter[str] = Counter()
    spread = []
    for candidate, score in sorted(ranking, key=lambda each: -each[1]):
        spread.append((candidate, score - REPEATED * better[candidate.doc_id]))
        better[candidate.doc_id] += 1
    return sorted(spread, key=lambda each: -each[1])


async def _meanings(
    vocabulary: Vocabulary,
    question: str,
    lexical: LexicalAnswer,
    chunks: int,
    candidates: Sequence[Candidate],
) -> list[float]:
    """Return how much of the question each passage covers in meaning.

    Each word of the question counts by how near the passage's nearest word is (cosine), weighted by the inverse
    document frequency: the recall of BERTScore (Zhang et al. 2020) over vectors of single words.
    """
    asked = words(question)
    held = [words(candidate.indexed) for candidate in candidates]
    places = {word: place for place, word in enumerate(dict.fromkeys(word for each in held for word in each))}
    if not asked or not places:
        return [0.0] * len(candidates)
    questions = await vocabulary.vectors(asked, keep=False)
    near = questions @ (await vocabulary.vectors(list(places), keep=True)).T
    rarity = np.array([_rarity(word, lexical, chunks) for word in asked])
    return [
        float(near[:, [places[word] for word in each]].max(axis=1, initial=0.0) @ rarity / rarity.sum())
        for each in held
    ]


def _rarity(word: str, lexical: LexicalAnswer, chunks: int) -> float:
    """Return the inverse document frequency of a word: that of its rarest term."""
    return max(lexical.weights(terms(word), chunks).values(), default=1.0)


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    data: dict[str, float] = json.loads(
        (resources.files("store") / "calibration" / "ranking.json").read_text()
    )
    return data
