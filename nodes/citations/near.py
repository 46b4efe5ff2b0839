"""Which statements of a passage come near to a clause: by shared words, or by meaning across languages."""

from collections.abc import Callable

from nodes.citations.passage import Passage
from nodes.citations.quantities import codes, without_amounts
from nodes.citations.statements import Statement
from nodes.citations.terms import terms

Similarity = Callable[[str, str], float]
"""How near two texts are in meaning, such as the cosine of their embeddings."""
Nearness = Callable[[Statement, Statement], float]
"""How near a statement of a passage comes to a clause; comparable for one clause only."""

_BEFORE = 0.4
"""What a term of the sentence's earlier clauses counts."""
_BREVITY = 0.2
"""Share of the nearness that a statement loses when it says nothing but other things."""


def by_words(passage: Passage) -> Nearness:
    """Return nearness as the share of the clause's words that a statement holds, in [0, 1].

    Words that the passage lacks do not count: they do not tell where in it the clause belongs.
    """

    def nearness(clause: Statement, statement: Statement) -> float:
        said = dict.fromkeys(terms(clause.before) & passage.terms, _BEFORE)
        said |= dict.fromkeys(clause.terms & passage.terms, 1.0)
        all_said = sum(passage.weight(term) * share for term, share in said.items())
        all_there = sum(map(passage.weight, statement.terms))
        shared = sum(passage.weight(term) for term in statement.terms & said.keys())
        brevity = 1 - _BREVITY + _BREVITY * (shared / all_there if all_there else 0)
        return passage.cover(said, statement) / all_said * brevity if all_said else 0.0

    return nearness


def by_meaning(similarity: Similarity) -> Nearness:
    """Return nearness as similarity, amounts and codes left out, so that it tells the subjects apart."""

    def nearness(clause: Statement, statement: Statement) -> float:
        said, there = _bare(clause.text), _bare(statement.text)
        alone = similarity(said, there)
        if clause.before and statement.before:
            whole = similarity(
                _bare(f"{clause.before}, {clause.text}"), _bare(f"{statement.before}, {statement.text}")
            )
            return (alone + whole) / 2
        around = [_bare(f"{text}, {statement.text}") for text in (statement.before, statement.over) if text]
        return max([alone, *(similarity(said, text) for text in around)])

    return nearness


def _bare(text: str) -> str:
    for code in codes(text):
        text = text.replace(code, " ")
    return without_amounts(text)
