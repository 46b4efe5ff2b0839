"""Words that stand in contrast: alternatives that a text sets side by side, such as two plans."""

from nodes.citations.polarity import denies
from nodes.citations.terms import Word, is_noun

_TAIL = 5
_STEM = 4


def contrast(one: Word, other: Word) -> bool:
    """Tell whether two words take the same place: before the same word, behind the same preposition, with the same head.

    No list of names is needed: 年付套餐 and 月付套餐, the free plan and the Team plan, 华东仓 and 华南仓,
    upgrade and downgrade show by themselves that they are alternatives.

    Args:
        one: a word of one clause.
        other: a word of another clause in the same language.
    """
    if not _comparable(one.text, other.text):
        return False
    if (one.after and one.after == other.after) or (one.preposition and one.preposition == other.preposition):
        return True
    if one.before and one.before == other.before and not one.after and not other.after:
        return both_nouns(one, other)
    return _same_head(one.text, other.text)


def both_nouns(one: Word, other: Word) -> bool:
    """Tell whether two words may both be what a clause is about; English ones are taken to be."""
    return one.text.isascii() == other.text.isascii() and (
        one.text.isascii() or (is_noun(one.text) and is_noun(other.text))
    )


def _comparable(one: str, other: str) -> bool:
    if one.isascii() != other.isascii() or _forms_of_one(one, other):
        return False
    return one.isascii() or min(len(one), len(other)) > 1


def _forms_of_one(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if one.isascii():
        return long.startswith(short[:_STEM])
    return long.endswith(short) or long.startswith(short)


def _same_head(one: str, other: str) -> bool:
    """Tell whether the words are built alike: up-grade and down-grade, 年-卡 and 季-卡, 华东 and 华南."""
    if one.isascii():
        return min(len(one), len(other)) > _TAIL and one[-_TAIL:] == other[-_TAIL:]
    alike = one[-1] == other[-1] or (len(one) == len(other) and one[0] == other[0])
    return alike and is_noun(one) and is_noun(other)


def replaces(one: Word, other: Word) -> bool:
    """Tell whether a word that a passage lacks stands exactly where the passage has another.

    Args:
        one: a word of the sentence.
        other: a word of the passage.
    """
    if one.text.isascii() or not _comparable(one.text, other.text) or denies(one.text) or denies(other.text):
        return False
    return one.text[-1] == other.text[-1] and bool(one.after) and one.after == other.after
