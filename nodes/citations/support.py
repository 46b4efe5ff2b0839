"""Does a passage say what a sentence says?"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from nodes.citations.markers import strip_citations
from nodes.citations.numerals import in_digits
from nodes.citations.quantities import codes, quantities
from nodes.words import features

Similarity = Callable[[str, str], float]
"""How near two texts are in meaning, such as the cosine of their embeddings."""
Reason = Literal["supported", "number", "code", "negation", "subject", "overlap", "uncited"]

_ENOUGH = 0.45
"""Share of a sentence's content that must occur in the passage."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sentence is supported, and what speaks against it.

    Attributes:
        supported: the passage says it.
        reason: `supported`, or the first thing that fails.
        detail: the number, name or words that fail.
        score: share of the sentence's content that the passage holds, in [0, 1].
    """

    supported: bool
    reason: Reason
    detail: str = ""
    score: float = 0.0


def supports(sentence: str, passage_text: str, *, similarity: Similarity | None = None) -> Verdict:
    """Tell whether a passage supports a sentence.

    Args:
        sentence: one sentence of an answer; citations in it are ignored.
        passage_text: the passage, with its heading in front where it has one.
        similarity: compares meanings; without it only words, numbers and names are compared.
    """
    claim, passage = in_digits(strip_citations(sentence)), in_digits(passage_text)
    held = quantities(passage)
    for quantity in quantities(claim):
        if not any(quantity.same(other) for other in held):
            return Verdict(False, "number", quantity.text)
    for code in codes(claim):
        if code.lower() not in passage.lower():
            return Verdict(False, "code", code)
    said, known = features(claim), features(passage)
    score = len(said & known) / len(said) if said else 0.0
    if similarity:
        score = max(score, similarity(claim, passage))
    if score < _ENOUGH:
        return Verdict(False, "overlap", ", ".join(sorted(said - known)), score)
    return Verdict(True, "supported", score=score)
