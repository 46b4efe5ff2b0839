"""Does a passage say what a sentence says?"""

import re
from dataclasses import dataclass
from typing import Literal

from nodes.citations.agreement import Comparison
from nodes.citations.anchors import anchors
from nodes.citations.markers import strip_citations
from nodes.citations.near import Similarity, by_meaning, by_words
from nodes.citations.numerals import in_digits
from nodes.citations.passage import Passage, passage_of
from nodes.citations.quantities import codes, quantities
from nodes.citations.quotation import repeats
from nodes.citations.sentences import split_sentences
from nodes.citations.statements import statements
from nodes.citations.terms import terms
from nodes.language import language
from nodes.window.tokens import HAN

Reason = Literal["supported", "number", "code", "negation", "subject", "overlap", "uncited"]

_QUOTED = re.compile(r"[「『“\"]([^「」『』“”\"]+)[」』”\"]")
_CAPITALS = re.compile(r"(?<![\w-])[A-Z]{2,}(?![\w-])")
_LATIN = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z-]+(?![\w-])")
_QUOTATION = 0.5
"""Share of a sentence from which its quotations are what it says, and the rest frames them."""
_HAN_LETTERS = 3
"""Latin letters that say as much as one Han character."""
_WORDS_SHARE = 0.4
"""Share of the words in the score, the rest being similarity."""
_ENOUGH = {"words": 0.4, "both": 0.46, "meaning": 0.42}
"""Score from which a sentence and a passage speak of the same thing."""
_SURE = 0.75
"""Share of words from which meaning is not asked."""
_SPOKEN_OF = 0.3
"""Similarity of a name and a sentence from which the sentence speaks of it: none of 18 own pairs is told wrong."""
_FIGURE = 2
"""Words that a figure counts."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sentence is supported, and what speaks against it.

    Attributes:
        supported: the passage says it.
        reason: `supported`, or what fails: a `number` or `code` that the passage lacks; a `subject` of which
            the passage says something else; a `negation`; too little `overlap`; `uncited`, and no passage
            says it.
        detail: the number, name or words that fail, or what the passage has instead.
        score: how much of the sentence the passage holds, in [0, 1].
    """

    supported: bool
    reason: Reason
    detail: str = ""
    score: float = 0.0


def supports(sentence: str, passage_text: str, *, similarity: Similarity | None = None) -> Verdict:
    """Tell whether a passage supports a sentence.

    Figures must occur in the passage, and for the same thing; words must be shared, or meaning; and no
    statement that comes nearest may say it of something else, or deny it. What is an alternative to what
    (two plans, two devices) is seen in the passage itself.

    Args:
        sentence: one sentence of an answer; citations in it are ignored. When most of it is a quotation,
            the quotation is checked.
        passage_text: the passage, with its headings in front.
        similarity: compares meanings. Without it a sentence in another language than the passage is
            supported when it has figures and the passage has them all.
    """
    claim, passage = in_digits(_claim(sentence)), passage_of(passage_text)
    if repeats(strip_citations(sentence), passage_text):
        return Verdict(supported=True, reason="supported", score=1.0)
    if lacking := _lacking_figure(claim, passage):
        return lacking
    same = language(claim) == language(passage.text)
    score, enough = _overlap(claim, passage, similarity, same=same)
    if score < enough:
        words = ", ".join(sorted(terms(claim) - passage.terms))
        return Verdict(supported=False, reason="overlap", detail=words, score=score)
    near = by_words(passage) if same else by_meaning(similarity) if similarity else None
    if near:
        comparison = Comparison(claim, passage, near, by_words=same)
        for clause in statements(claim):
            if conflict := comparison.contradiction(clause):
                return Verdict(supported=False, reason=conflict.reason, detail=conflict.detail, score=score)
    return Verdict(supported=True, reason="supported", score=score)


def speaks_of(topic: str, passage_text: str, *, similarity: Similarity | None = None) -> bool:
    """Tell whether a passage speaks of what a label, a row or a column of a table names.

    Where they are in two languages the similarity of what is said under it has to tell.

    Args:
        topic: a name, such as 导出次数.
        passage_text: the passage, with its headings in front.
        similarity: as for `supports`.
    """
    named, passage = terms(in_digits(topic)), passage_of(passage_text)
    if not named or named & passage.terms or language(topic) != language(passage.text):
        return True
    near = max((similarity(topic, part) for part in _sentences(passage)), default=0.0) if similarity else 0.0
    return near >= _SPOKEN_OF


def _claim(sentence: str) -> str:
    text = strip_citations(sentence)
    quoted = ", ".join(_QUOTED.findall(text))
    return quoted if _size(quoted) > _QUOTATION * _size(text) else text


def _size(text: str) -> int:
    return len(re.findall(r"\w", text)) + (_HAN_LETTERS - 1) * len(HAN.findall(text))


def _lacking_figure(claim: str, passage: Passage) -> Verdict | None:
    """Find an amount, a code or a name in capitals that the passage does not have."""
    for amount in quantities(claim):
        counted = amount.dimension == "count" and amount.value == len(passage.rows)
        if not (amount.is_article or counted or any(amount.same(other) for other in passage.quantities)):
            return Verdict(supported=False, reason="number", detail=amount.text)
    named = _LATIN if language(claim) == "zh" else _CAPITALS if language(passage.text) == "en" else None
    for name in codes(claim) + (named.findall(claim) if named else []):
        if name.lower() not in passage.text.lower():
            return Verdict(supported=False, reason="code", detail=name)
    return None


def _overlap(
    claim: str, passage: Passage, similarity: Similarity | None, *, same: bool
) -> tuple[float, float]:
    """Return how much of a claim the passage holds, and how much is enough."""
    said = terms(claim)
    figures = _FIGURE * sum(len(anchors(clause, claim)) for clause in statements(claim))
    words = (len(said & passage.terms) + figures) / max(1, len(said) + figures)
    if similarity is None or (same and words >= _SURE):
        return (words, _ENOUGH["words"]) if same else (float(bool(figures)), 1.0)
    meaning = max((similarity(claim, part) for part in _sentences(passage)), default=0.0)
    if same:
        return _WORDS_SHARE * words + (1 - _WORDS_SHARE) * meaning, _ENOUGH["both"]
    return meaning, _ENOUGH["meaning"]


def _sentences(passage: Passage) -> list[str]:
    """Return the sentences and the statements of a passage, each once."""
    parts = [sentence for line in passage.text.splitlines() for sentence in split_sentences(line)]
    parts += [text for s in passage.statements for text in (s.text, f"{s.before}, {s.text}")]
    return [part for part in dict.fromkeys(parts) if part.strip()]
