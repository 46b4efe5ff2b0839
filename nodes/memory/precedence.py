"""Which of several claims holds: the business system, then what the user said, then what was inferred."""

from collections.abc import Sequence
from dataclasses import dataclass

from store.memory import Source

_RANK: dict[Source, int] = {"business": 0, "user": 1, "inferred": 2}


@dataclass(frozen=True, slots=True)
class Claim:
    """A value, who says so, since when, and when that was said; times are ISO, empty when not said."""

    source: Source
    value: str
    event_time: str
    written: str

    @property
    def since(self) -> str:
        """The time that counts: of what is told, else of the telling."""
        return self.event_time or self.written


def prevailing(claims: Sequence[Claim], now: str) -> tuple[Claim, list[Claim]]:
    """Return the claim that holds, and those that disagree with the business system and are to be corrected.

    Args:
        claims: at least one, of one slot.
        now: ISO date; what is told of the future is not in force yet.
    """
    in_force = [claim for claim in claims if claim.since[:10] <= now[:10]] or list(claims)
    best_rank = min(_RANK[claim.source] for claim in in_force)
    best = max((c for c in in_force if _RANK[c.source] == best_rank), key=lambda claim: claim.since)
    if best.source != "business":
        return best, []
    return best, [claim for claim in claims if claim.source != "business" and claim.value != best.value]
