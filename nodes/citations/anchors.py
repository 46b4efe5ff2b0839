"""What ties a clause to certain statements of a passage: its amounts and codes."""

import re
from dataclasses import dataclass

from nodes.citations.quantities import Quantity, codes, quantities
from nodes.citations.statements import Statement


@dataclass(frozen=True, slots=True)
class Anchor:
    """An amount or a code of a clause.

    Attributes:
        text: as written.
        amount: the amount; `None` for a code.
        beside: the other amounts of the sentence, which rival nothing.
        sentence: the sentence in lower case.
    """

    text: str
    amount: Quantity | None
    beside: tuple[Quantity, ...]
    sentence: str

    def held_by(self, statement: Statement) -> bool:
        """Tell whether a statement has it."""
        if self.amount:
            return any(self.amount.same(other) for other in statement.amounts)
        return self.text.lower() in _codes_around(statement)

    def rivalled_by(self, statement: Statement) -> bool:
        """Tell whether a statement has another of its kind in its place: 5 days for 7 days, E02 for E01."""
        if self.held_by(statement):
            return False
        if self.amount:
            return any(
                other.dimension == self.amount.dimension and not any(other.same(said) for said in self.beside)
                for other in statement.amounts
            )
        return any(
            _form(code) == _form(self.text) and code not in self.sentence for code in _codes_around(statement)
        )


def anchors(clause: Statement, sentence: str) -> list[Anchor]:
    """Return the anchors of a clause; ends of a range and a mere "one" are none.

    Args:
        clause: a clause of the sentence.
        sentence: all of it, numerals in digits.
    """
    said, low = tuple(quantities(sentence)), sentence.lower()
    found = [Anchor(q.text, q, said, low) for q in clause.amounts if not q.ranged and not q.is_article]
    return found + [Anchor(code, None, said, low) for code in codes(clause.text)]


def _codes_around(statement: Statement) -> list[str]:
    return [code.lower() for code in codes(f"{statement.over} {statement.text}")]


def _form(code: str) -> str:
    """Return a code with its digits made alike; a code without digits has a form of its own."""
    return re.sub(r"\d", "0", code.lower())
