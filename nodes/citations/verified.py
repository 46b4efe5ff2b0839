"""An answer with what the check found of each of its sentences."""

from dataclasses import dataclass

from nodes.citations.markers import cited_ids
from nodes.citations.support import Verdict
from nodes.language import Language


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of an answer with what the check found.

    Attributes:
        text: the sentence as it may be shown: unknown and unsupporting citations out, a found one in.
        cited: ids that it cited and that were given.
        unknown: ids that it cited and that were not given.
        sources: ids that say it, behind it or in the rest of its line.
        verdict: `None` for a sentence that claims nothing.
        leads: whether it only leads to what stands behind it.
        is_value: whether it says something only with the label or the head of a table that it stands under.
    """

    text: str
    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    sources: tuple[str, ...]
    verdict: Verdict | None
    leads: bool = False
    is_value: bool = False

    @property
    def factual(self) -> bool:
        """Whether it claims something."""
        return self.verdict is not None

    @property
    def fails(self) -> bool:
        """Whether it claims something that its sources do not say."""
        return self.verdict is not None and not self.verdict.supported

    @property
    def recited(self) -> bool:
        """Whether its source was found by the check and not named by the answer."""
        return bool(set(cited_ids(self.text)) - set(self.cited))


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer, sentence by sentence.

    Attributes:
        sentences: all of them, in order.
        language: language of the question, in which a model is told what to correct.
        given: ids that might be cited.
    """

    sentences: tuple[CheckedSentence, ...]
    language: Language
    given: tuple[str, ...]

    @property
    def text(self) -> str:
        """The answer with corrected citations and every sentence still in it."""
        return "".join(sentence.text for sentence in self.sentences)

    @property
    def failing(self) -> tuple[tuple[CheckedSentence, Verdict], ...]:
        """The sentences that no given passage supports, each with why."""
        return tuple((s, s.verdict) for s in self.sentences if s.verdict and not s.verdict.supported)

    @property
    def only_cites(self) -> bool:
        """Whether it names sources and claims nothing."""
        return any(s.cited for s in self.sentences) and not any(s.factual for s in self.sentences)

    @property
    def counts(self) -> dict[str, int]:
        """Sentences by outcome: `factual` = `supported` + `unsupported`.

        `uncited` are those of the unsupported that cite nothing known, `recited` those of the supported whose
        source was found by the check, `unknown_ids` the citations of passages that were not given.
        """
        factual = [s for s in self.sentences if s.factual]
        return {
            "factual": len(factual),
            "supported": sum(not s.fails for s in factual),
            "unsupported": len(self.failing),
            "uncited": sum(not s.cited for s, _ in self.failing),
            "recited": sum(s.recited for s in factual if not s.fails),
            "unknown_ids": sum(len(s.unknown) for s in self.sentences),
        }
