"""What speaks against a clause in a statement that comes near to it."""

import re
from dataclasses import dataclass
from typing import Literal

from nodes.citations.contrast import both_nouns, contrast, replaces
from nodes.citations.passage import Passage
from nodes.citations.polarity import denies, limit, oppose, reverse, supposes
from nodes.citations.statements import Statement
from nodes.citations.terms import Word, sequence, terms

_PREFIX = re.compile(r"(?:un|in|im|non|dis)-?")
_NEGATED = re.compile(r"[未非]([\u3400-\u9fff]{2})")
_ALIKE = 0.5
"""Nearness from which the first words of two clauses are taken for their subjects."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A contradiction: its kind, and what the passage has instead."""

    reason: Literal["subject", "negation"]
    detail: str


def subject_conflict(
    clause: Statement, statement: Statement, passage: Passage, sentence: str, near: float
) -> Conflict | None:
    """Find a word of the clause in whose place the statement has an alternative.

    The word must occur elsewhere in the passage, so that both are alternatives there; a synonym does not.

    Args:
        clause: a clause of the sentence.
        statement: a statement of the passage.
        passage: the passage.
        sentence: all of the sentence.
        near: how near the statement comes to the clause.
    """
    if row := _other_row(statement, passage, sentence):
        return Conflict("subject", f"{statement.row} / {row}")
    said = sequence(sentence)
    there = (*statement.words, *passage.kept(statement))
    for word in (*clause.words, *sequence(clause.before)):
        if passage.says(statement, word):
            continue
        for other in there:
            if any(other.text == one.text for one in said):
                replaced = word in clause.words and _modifies_instead(word, other, said, passage)
            elif word.text in passage.vocabulary:
                replaced = contrast(word, other) or (
                    near >= _ALIKE and _both_begin(word, other, clause, statement)
                )
            else:
                replaced = replaces(word, other) or _outside_limit(word, other, statement)
            if replaced:
                return Conflict("subject", f"{other.text} / {word.text}")
    return None


def _modifies_instead(word: Word, other: Word, said: tuple[Word, ...], passage: Passage) -> bool:
    """Tell whether the statement qualifies the same head by another word of the sentence."""
    return (
        bool(word.after)
        and word.after == other.after
        and word.text in passage.vocabulary
        and contrast(word, other)
        and not any(one.text == other.text and one.after == other.after for one in said)
    )


def _both_begin(word: Word, other: Word, clause: Statement, statement: Statement) -> bool:
    level = word in clause.words or other not in statement.words
    return word.first and other.first and level and both_nouns(word, other)


def _outside_limit(word: Word, other: Word, statement: Statement) -> bool:
    limited = limit(f"{statement.before} {statement.text}")
    return bool(limited and word.preposition and word.preposition == other.preposition)


def _other_row(statement: Statement, passage: Passage, sentence: str) -> str | None:
    """Return the row of a table that the sentence names, when the statement stands in another one."""
    said = terms(sentence)
    named = sorted(row for row in passage.rows if terms(row) and terms(row) <= said)
    return named[0] if named and statement.row and statement.row not in named else None


def denial_conflict(clause: Statement, statement: Statement, passage: Passage) -> Conflict | None:
    """Find that one affirms what the other denies, or says before where the other says after.

    A clause that only names a condition does neither.

    Args:
        clause: a clause of the sentence.
        statement: a statement of the passage, near to it.
        passage: the passage.
    """
    if _negates_word(clause, statement, passage):
        return Conflict("negation", statement.text.strip())
    if supposes(clause.text) or supposes(statement.text) or _beyond_limit(clause, statement):
        return None
    mine, theirs = clause.text, statement.text
    if denies(theirs) and statement.terms & terms(clause.before):
        mine = f"{clause.before}, {mine}"
    if denies(mine) and clause.terms & terms(statement.before):
        theirs = f"{statement.before}, {theirs}"
    opposed = oppose(mine, theirs) != _prefixed(clause.words, statement.words)
    if opposed or reverse(clause.text, statement.text):
        return Conflict("negation", statement.text.strip())
    return None


def _beyond_limit(clause: Statement, statement: Statement) -> bool:
    """Tell whether the clause denies what the statement grants to others only."""
    limited = limit(statement.text)
    if not limited or limit(clause.text) or not denies(clause.text):
        return False
    granted = terms(" ".join(word.text for word in sequence(statement.text[limited.end() :])[:2]))
    return not granted & clause.terms


def _negates_word(clause: Statement, statement: Statement, passage: Passage) -> bool:
    """Tell whether one has 未保价 where the other has 保价, both being alternatives in the passage."""
    mine, theirs = clause.before + clause.text, statement.before + statement.text
    return any(
        _NEGATED.sub("", one).count(word) == 0
        and word in other
        and word not in _NEGATED.findall(other)
        and word in _NEGATED.sub("", passage.text)
        and word in _NEGATED.findall(passage.text)
        for one, other in ((mine, theirs), (theirs, mine))
        for word in _NEGATED.findall(one)
    )


def _prefixed(mine: tuple[Word, ...], theirs: tuple[Word, ...]) -> bool:
    """Tell whether one says used where the other says unused."""
    a, b = {word.text for word in mine}, {word.text for word in theirs}
    return any(
        word not in other and (prefix := _PREFIX.match(word)) and word[prefix.end() :] in other
        for one, other in ((a, b), (b, a))
        for word in one
    )
