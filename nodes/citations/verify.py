"""Check every sentence of an answer against the passages that it cites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nodes.citations.claims import makes_claim, reports_action, restates
from nodes.citations.markers import cited_ids, strip_citations
from nodes.citations.near import Similarity
from nodes.citations.sentences import split_sentences, without_bullet
from nodes.citations.stretches import Stretch, stretches
from nodes.citations.support import Verdict, supports
from nodes.language import Language
from nodes.language import language as language_of
from store.embedding import LONGEST_TEXT

_CLEAR = 0.6
"""Score from which a passage is taken as the source of a sentence that cites none, or a wrong one."""
_NEARER = 0.2
"""By how much a passage that denies a sentence has to score above the one that supports it."""
_UNCITED = Verdict(supported=False, reason="uncited")


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of an answer with what the check found.

    Attributes:
        text: the sentence as it may be shown: unknown and unsupporting citations out, a found one in.
        cited: ids that it cited and that were given.
        unknown: ids that it cited and that were not given.
        sources: ids that `text` cites.
        verdict: `None` for a sentence that claims nothing.
    """

    text: str
    cited: tuple[str, ...]
    unknown: tuple[str, ...]
    sources: tuple[str, ...]
    verdict: Verdict | None

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
        return bool(set(self.sources) - set(self.cited))


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


def verify(
    answer: str,
    passages: Mapping[str, str],
    *,
    question: str | None = None,
    language: Language | None = None,
    similarity: Similarity | None = None,
    records: Sequence[str] = (),
) -> Verified:
    """Check an answer against the passages that were given.

    A record supports what an answer says without naming a source. That something was done for the user is said by
    a record alone, never by an article.

    Args:
        answer: the model's text.
        passages: text of every passage that may be cited, by id, with its headings in front.
        question: what was asked; repeating it is no claim.
        language: of the question; told from the question or the answer when not given.
        similarity: see `supports`.
        records: other results of this turn's tools, such as the user's subscription; they cannot be cited.
    """
    check = _Check(passages, question or "", similarity, records)
    checked = tuple(check.sentence(piece) for piece in split_sentences(answer))
    return Verified(checked, language or language_of(question or answer), tuple(passages))


@dataclass(frozen=True, slots=True)
class _Check:
    passages: Mapping[str, str]
    question: str
    similarity: Similarity | None
    records: Sequence[str]

    def sentence(self, piece: str) -> CheckedSentence:
        """Check one sentence, each stretch of it against the passages cited behind it."""
        cited = tuple(id_ for id_ in cited_ids(piece) if id_ in self.passages)
        unknown = tuple(id_ for id_ in cited_ids(piece) if id_ not in self.passages)
        if len(piece) > LONGEST_TEXT:  # twice a passage: none says all of it, and comparing takes its square
            return CheckedSentence(piece, cited, unknown, (), _UNCITED)
        unclaimed = CheckedSentence(strip_citations(piece), cited, unknown, (), None)
        if not makes_claim(piece, self.question):
            return unclaimed
        if not (cited or unknown) and (known := self._recorded(piece)).supported:
            return CheckedSentence(piece, (), (), (), known)
        if reports_action(strip_citations(piece)):
            return CheckedSentence(piece, cited, unknown, (), _UNCITED)
        parts = stretches(piece)
        found = [self._sources(part) for part in parts]
        verdict = next((v for _, v in found if not v.supported), found[0][1])
        if not cited and verdict.reason == "uncited" and restates(piece, self.question):
            return unclaimed
        text = "".join(part.citing(ids) for part, (ids, _) in zip(parts, found, strict=True))
        sources = tuple(dict.fromkeys(id_ for ids, _ in found for id_ in ids))
        return CheckedSentence(text, cited, unknown, sources, verdict)

    def _sources(self, part: Stretch) -> tuple[tuple[str, ...], Verdict]:
        """Return the ids that support a stretch, of those cited first, then of all that were given."""
        text = part.before + part.after
        cited = tuple(id_ for id_ in cited_ids(part.markers) if id_ in self.passages)
        each = {id_: self._supports(text, id_) for id_ in cited}
        if kept := tuple(id_ for id_ in cited if each[id_].supported):
            best_kept = max((each[id_] for id_ in kept), key=_rank)
            return kept, self._contradiction(text, best_kept, each) or best_kept
        if len(cited) > 1 and (together := self._supports(text, *cited)).supported:
            return cited, together
        others = {id_: self._supports(text, id_) for id_ in self.passages if id_ not in each}
        best = max(others, key=lambda id_: _rank(others[id_]), default="")
        if best and others[best].supported and others[best].score >= _CLEAR:
            return (best,), self._contradiction(text, others[best], each | others) or others[best]
        if cited:
            return cited, max(each.values(), key=_rank)
        return (), others[best] if best and others[best].score >= _CLEAR else _UNCITED

    def _contradiction(self, text: str, support: Verdict, known: Mapping[str, Verdict]) -> Verdict | None:
        """Return the denial of a passage that comes clearly nearer to a sentence than the one that supports it.

        Another subject's rule may read like support; the passage on the subject itself then says the opposite.
        """
        if support.score > 1 - _NEARER:
            return None
        checked = (known.get(id_) or self._supports(text, id_) for id_ in self.passages)
        denials = [v for v in checked if v.reason == "negation" and v.score >= support.score + _NEARER]
        return max(denials, key=_rank, default=None)

    def _recorded(self, piece: str) -> Verdict:
        """Return whether a record says what a sentence says."""
        checked = [supports(without_bullet(piece), text, similarity=self.similarity) for text in self.records]
        return max(checked, key=_rank, default=_UNCITED)

    def _supports(self, text: str, *ids: str) -> Verdict:
        passage = "\n\n".join(self.passages[id_] for id_ in ids)
        return supports(without_bullet(text), passage, similarity=self.similarity)


def _rank(verdict: Verdict) -> tuple[bool, float]:
    return verdict.supported, verdict.score
