"""Does a passage contradict a clause? A clause holds when a statement that comes nearest to it agrees."""

from dataclasses import dataclass

from nodes.citations.anchors import Anchor, anchors
from nodes.citations.conflict import Conflict, denial_conflict, subject_conflict
from nodes.citations.near import Nearness
from nodes.citations.passage import Passage
from nodes.citations.polarity import denies, limit, supposes
from nodes.citations.quantities import quantities
from nodes.citations.statements import Statement
from nodes.citations.terms import terms

_NEAREST = 0.9
"""Statements within this share of the nearest one may hold the clause."""
_ANCHORED = (0.75, 1.0)
"""Share of the nearness of its rival that a statement with the clause's amount must reach: words, meaning."""
_REMOTE = 0.2
"""Share of the greatest nearness under which an amount belongs to something else."""
_SUBJECT_FROM = 0.5
_DENIAL_FROM = 0.55
"""Nearness from which two clauses are taken to speak of the same thing."""
_CLAUSE = 2
"""Terms from which a clause is more than the value of a label (企业版：不限)."""
_REST_FROM = 0.4
_REST_WEIGHT = 0.15
"""Share of the clause that the nearest statement lacks, from which another one is asked for it."""

_Ranked = list[tuple[float, Statement]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence and the passage that it is compared with.

    Attributes:
        sentence: the sentence, numerals in digits.
        passage: the passage.
        near: how near a statement of the passage comes to a clause.
        by_words: nearness is told by words, so that single words can be set against each other.
    """

    sentence: str
    passage: Passage
    near: Nearness
    by_words: bool

    def contradiction(self, clause: Statement) -> Conflict | None:
        """Return what contradicts a clause of the sentence, or nothing."""
        ranked = self._ranked(clause)
        tied = anchors(clause, self.sentence)
        for anchor in tied:
            if conflict := self._misplaced(anchor, clause, ranked):
                return conflict
        if not tied and (conflict := self._disagreement(clause, _nearest(ranked), tied=False)):
            return conflict
        return self._rest(clause, ranked, tied) if self.by_words else None

    def _ranked(self, clause: Statement) -> _Ranked:
        """Return the statements, nearest first; one that only names a condition grants nothing."""
        able = (s for s in self.passage.statements if supposes(clause.text) or not supposes(s.text))
        ranked = sorted(((self.near(clause, s), s) for s in able), key=lambda pair: -pair[0])
        return ranked if ranked and ranked[0][0] > 0 else []

    def _misplaced(self, anchor: Anchor, clause: Statement, ranked: _Ranked) -> Conflict | None:
        """Find that an amount stands in the passage, but for something else."""
        holding = [(near, s) for near, s in ranked if anchor.held_by(s)]
        rival = max((near for near, s in ranked if anchor.rivalled_by(s)), default=0.0)
        if not holding or not (holding[0][0] or rival):
            return None
        needed = _ANCHORED[0] * max(rival, holding[0][0]) if self.by_words else _ANCHORED[1] * rival
        fitting = [(near, s) for near, s in holding if near >= needed or self._together(s)]
        if not fitting or (self.by_words and holding[0][0] < _REMOTE * ranked[0][0]):
            return Conflict("subject", anchor.text)
        return self._disagreement(clause, fitting, tied=True)

    def _together(self, statement: Statement) -> bool:
        """Tell whether a statement, or its row of a table, has several of the sentence's amounts."""
        said = quantities(self.sentence)
        row = [s for s in self.passage.statements if s.row == statement.row] if statement.row else [statement]
        there = [amount for s in row for amount in s.amounts]
        found = [amount for amount in said if any(amount.same(other) for other in there)]
        return (
            len(found) > 1
            and (self.by_words or bool(statement.row))
            and (not statement.row or len(found) == len(said))
        )

    def _disagreement(self, clause: Statement, near: _Ranked, *, tied: bool) -> Conflict | None:
        """Return the nearest statement's conflict with the clause, unless another one has none."""
        first: Conflict | None = None
        for nearness, statement in near:
            conflict = self._conflict(clause, statement, nearness, tied=tied)
            if conflict is None:
                return None
            first = first or conflict
        return first

    def _conflict(
        self, clause: Statement, statement: Statement, near: float, *, tied: bool
    ) -> Conflict | None:
        if not self.by_words:
            return denial_conflict(clause, statement, self.passage)
        subject = denial = None
        if tied or near >= _SUBJECT_FROM:
            subject = subject_conflict(clause, statement, self.passage, self.sentence, near)
        whole = len(statement.terms) > 1 and statement.terms <= terms(self.sentence)
        if whole or near * self._known(clause) >= _DENIAL_FROM:
            denial = denial_conflict(clause, statement, self.passage)
        excluded = denies(clause.text) and not denies(statement.text)
        if subject and excluded and any(limit(s.text) for s in self.passage.statements):
            return None  # what only some may do, the others may not
        return subject or denial

    def _known(self, clause: Statement) -> float:
        """Return the share of a clause's words that the passage has; a mere value counts with what it is said of."""
        words = clause.terms | (terms(clause.before) if len(clause.terms) < _CLAUSE else frozenset())
        said = sum(map(self.passage.weight, words))
        return sum(map(self.passage.weight, words & self.passage.terms)) / said if said else 1.0

    def _rest(self, clause: Statement, ranked: _Ranked, tied: list[Anchor]) -> Conflict | None:
        """Find that the statement which has the words that the nearest one lacks denies them."""
        holding = [s for _, s in ranked if all(anchor.held_by(s) for anchor in tied)] or [
            s for _, s in ranked
        ]
        if not holding:
            return None
        words = [
            w
            for w in clause.words
            if w.text in self.passage.vocabulary and not self.passage.says(holding[0], w)
        ]
        weight = sum(self.passage.weight(term) for term in {t for word in words for t in terms(word.text)})
        if weight <= _REST_WEIGHT * sum(map(self.passage.weight, clause.terms & self.passage.terms)):
            return None
        lacking = {word.text for word in words}
        for near, statement in ranked:
            if near >= _REST_FROM and statement != holding[0] and lacking & {w.text for w in statement.words}:
                return denial_conflict(clause, statement, self.passage)
        return None


def _nearest(ranked: _Ranked) -> _Ranked:
    return [(near, statement) for near, statement in ranked if near >= _NEAREST * ranked[0][0]]
