"""A passage, ready to be compared with."""

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from nodes.citations.contrast import contrast
from nodes.citations.numerals import in_digits
from nodes.citations.quantities import quantities
from nodes.citations.statements import Statement, statements
from nodes.citations.terms import Word, sequence, terms

_SUBJECT = 0.8
_CONTEXT = 0.4
_HEADING = 0.6
"""What a term counts that a statement takes over: from the head of its sentence, the rest of it, the headings."""
_HEAD = 2
"""Content words at the head of a sentence."""


class Passage:
    """The statements of a passage, and how much each of its words tells."""

    def __init__(self, text: str) -> None:
        self.text = in_digits(text)
        self.statements = statements(self.text)
        self.quantities = quantities(self.text)
        self.terms = terms(self.text)
        self.rows = frozenset(s.row for s in self.statements if s.row)
        self.vocabulary = frozenset(w.text for s in self.statements for w in sequence(s.all))
        counts = Counter(term for s in self.statements for term in s.terms)
        self._weights = {term: math.log(1 + len(self.statements) / n) for term, n in counts.items()}
        self._replaced: dict[Statement, frozenset[str]] = {}

    def weight(self, term: str) -> float:
        """Return how much a term tells of a statement: log(1 + N / n), with statements as documents."""
        return self._weights.get(term, math.log(1 + len(self.statements)))

    def cover(self, said: Mapping[str, float], statement: Statement) -> float:
        """Return the weight of the terms that a statement has, those that it takes over in part.

        Args:
            said: terms of a clause with their share.
            statement: one of this passage's.
        """
        replaced = frozenset(term for word in self.replaced(statement) for term in terms(word))
        head = terms(" ".join(word.text for word in sequence(statement.before)[:_HEAD])) - replaced
        context, heading = terms(statement.before) - replaced, terms(statement.over)
        shares = ((statement.terms, 1.0), (head, _SUBJECT), (context, _CONTEXT), (heading, _HEADING))
        return sum(
            share * self.weight(term) * max((part for found, part in shares if term in found), default=0.0)
            for term, share in said.items()
        )

    def replaced(self, statement: Statement) -> frozenset[str]:
        """Return the words of its sentence that a statement puts others in the place of.

        In "full backups are kept for 12 weeks, incremental ones for 30 days" the second statement takes over
        "backups" and "kept", but not "full".
        """
        if statement not in self._replaced:
            self._replaced[statement] = _replaced(statement)
        return self._replaced[statement]

    def kept(self, statement: Statement) -> tuple[Word, ...]:
        """Return the words of its sentence that a statement takes over."""
        gone = self.replaced(statement)
        return tuple(word for word in sequence(statement.before) if word.text not in gone)

    def says(self, statement: Statement, word: Word) -> bool:
        """Tell whether a statement has a word, itself or from what it takes over."""
        there = (*statement.words, *self.kept(statement), *sequence(statement.over))
        if any(word.text == other.text for other in there):
            return True
        beside = statement.text if self.replaced(statement) else statement.all
        return not word.text.isascii() and word.text in beside


@lru_cache(maxsize=256)
def passage_of(text: str) -> Passage:
    """Return a passage, kept for the next sentence that is compared with it."""
    return Passage(text)


def _replaced(statement: Statement) -> frozenset[str]:
    own, before = statement.words, sequence(statement.before)
    said = {word.text for word in before}
    new = [word for word in own if word.text not in said]
    gone = {old.text for old in before for word in new if contrast(old, word)}
    measured = {q.dimension for q in quantities(statement.before) if q.kind == "amount"}
    if before and own and own[0] in new and measured & {q.dimension for q in statement.amounts}:
        gone.add(before[0].text)  # two amounts of one kind in parallel: their subjects differ
    return frozenset(gone)
