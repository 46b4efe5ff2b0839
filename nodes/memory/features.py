"""How two memories differ, in figures: the evidence from which their relation is judged."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from nodes.memory import wording
from nodes.memory.cues import says
from nodes.memory.slots import values_of
from nodes.words import features


@dataclass(frozen=True, slots=True)
class Difference:
    """Two memories side by side.

    Attributes:
        old_only, new_only: the words that only one has, function words left out.
        overlap: Dice coefficient of the words, in [0, 1].
        bigrams: Dice coefficient of what is compared without regard to segmentation.
        head: share of the words in front of the first difference, in [0, 1].
        tail: whether both end in the same word.
        negated: whether exactly one of them is negated.
        changed: whether only the new one speaks of a change.
        now: whether only the new one says that it holds now.
        numbers, dates, codes: 1 when both have some and they agree, -1 when they differ, else 0.
        swapped: whether one has a word that is an alternative to one of the other (a weekday, a format).
        names: whether a name, capitalised, stands in the place of another.
        persons: whether one of them speaks of somebody whom the other does not name.
        topics: whether each is about something that the other is not about.
        happened: whether both tell something that happened once, rather than how things are.
        slots: 1 when both give a value to one slot, -1 when each gives one to slots of its own, else 0.
        values: 1 when the values that they give to one slot agree, -1 when they differ, else 0.
    """

    old_only: str
    new_only: str
    overlap: float
    bigrams: float
    head: float
    tail: bool
    negated: bool
    changed: bool
    now: bool
    numbers: int
    dates: int
    codes: int
    swapped: bool
    names: bool
    persons: bool
    topics: bool
    happened: bool
    slots: int
    values: int


def compare(old: str, new: str) -> Difference:
    """Compare two memories of one user word by word."""
    one, other = _same_names(wording.tokens(old), wording.tokens(new))
    gone, come = [w for w in one if w not in other], [w for w in other if w not in one]
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    replaced = [(one[a:b], other[c:d]) for tag, a, b, c, d in blocks if tag == "replace"]
    first = min((min(block[1], block[3]) for block in blocks if block[0] != "equal"), default=len(one))
    topics = wording.topics(old), wording.topics(new)
    given = values_of(wording.in_first_person(old)), values_of(wording.in_first_person(new))
    both = given[0].keys() & given[1].keys()
    return Difference(
        old_only=" ".join(gone),
        new_only=" ".join(come),
        overlap=_dice(one, other),
        bigrams=_dice(features(wording.core(old)), features(wording.core(new))),
        head=first / max(1, min(len(one), len(other))),
        tail=bool(one and other and one[-1] == other[-1]),
        negated=says("negation", old) != says("negation", new),
        changed=says("change", new) and not says("change", old),
        now=says("now", new) and not says("now", old),
        numbers=_agreement(wording.numbers(old), wording.numbers(new)),
        dates=_agreement(wording.dates(old), wording.dates(new)),
        codes=_agreement(wording.codes(old), wording.codes(new)),
        swapped=any(wording.alternatives(x, y) for x in gone for y in come),
        names=any({*x} & wording.names(old) and {*y} & wording.names(new) for x, y in replaced),
        persons=wording.persons(old) != wording.persons(new),
        topics=bool(topics[0] - topics[1] and topics[1] - topics[0]),
        happened=says("happened", old) and says("happened", new),
        slots=1 if both else -1 if given[0] and given[1] else 0,
        values=max((_agreement(given[0][slot], given[1][slot]) for slot in both), key=abs, default=0),
    )


def _same_names(one: list[str], other: list[str]) -> tuple[list[str], list[str]]:
    """Write out the abbreviations of words that the other statement has in full."""
    return (
        [next((long for long in other if wording.abbreviates(word, long)), word) for word in one],
        [next((long for long in one if wording.abbreviates(word, long)), word) for word in other],
    )


def _agreement(one: frozenset[str], other: frozenset[str]) -> int:
    if not one or not other:
        return 0
    return 1 if one == other else -1


def _dice(one: Iterable[str], other: Iterable[str]) -> float:
    a, b = set(one), set(other)
    return 2 * len(a & b) / max(1, len(a) + len(b))
