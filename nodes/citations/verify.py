"""Check every sentence of an answer against the passages that it cites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.citations.claims import asserts, introduces, makes_claim, reports_action, restates
from nodes.citations.layout import Placed, heads_table, placed
from nodes.citations.markers import cited_ids, strip_citations
from nodes.citations.near import Similarity
from nodes.citations.sentences import split_sentences, without_bullet
from nodes.citations.statements import labelled
from nodes.citations.stretches import Stretch, cell_stretches, stretches
from nodes.citations.support import Verdict, speaks_of, supports
from nodes.citations.verified import CheckedSentence, Verified
from nodes.language import Language
from nodes.language import language as language_of
from nodes.words import content_words
from store.embedding import LONGEST_TEXT

_CLEAR = 0.6
"""Score from which a passage is taken as the source of a sentence that cites none, or a wrong one."""
_NEARER = 0.2
"""By how much a passage that denies a sentence has to score above the one that supports it."""
_VALUE = 3
"""Content words up to which what stands under a label is a mere value of it (导出次数: 企业版：不限)."""
_UNCITED = Verdict(supported=False, reason="uncited")


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
    checked = tuple(check.sentence(piece) for piece in placed(split_sentences(answer)))
    return Verified(checked, language or language_of(question or answer), tuple(passages))


@dataclass(frozen=True, slots=True)
class _Sourced:
    """What became of a stretch: the ids to write behind it, those that say it, and the verdict if it says anything."""

    written: tuple[str, ...]
    by: tuple[str, ...] = ()
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class _Check:
    passages: Mapping[str, str]
    question: str
    similarity: Similarity | None
    records: Sequence[str]

    def sentence(self, piece: Placed) -> CheckedSentence:
        """Check one sentence, each stretch of it against the passages cited behind it."""
        text = piece.text
        cited = tuple(id_ for id_ in cited_ids(text) if id_ in self.passages)
        unknown = tuple(id_ for id_ in cited_ids(text) if id_ not in self.passages)
        if len(text) > LONGEST_TEXT:  # twice a passage: none says all of it, and comparing takes its square
            return CheckedSentence(text, cited, unknown, (), _UNCITED)
        bare = strip_citations(text)
        claims = cited or asserts(bare, self.question)
        names = heads_table(text) or (piece.leads and not claims)
        unclaimed = CheckedSentence(bare, cited, unknown, (), None, names or introduces(bare))
        if names:
            return unclaimed
        if not makes_claim(text, self.question):
            said = self._checked(piece, unclaimed) if cited else unclaimed
            return unclaimed if said.fails else said
        if not (cited or unknown) and (known := self._recorded(text)).supported:
            return CheckedSentence(text, (), (), (), known)
        if reports_action(bare):
            return CheckedSentence(text, cited, unknown, (), _UNCITED)
        return self._checked(piece, unclaimed)

    def _checked(self, piece: Placed, unclaimed: CheckedSentence) -> CheckedSentence:
        """Check a sentence that claims something."""
        parts, cited = _parts(piece), unclaimed.cited
        of_line = tuple(id_ for id_ in piece.cited if id_ in self.passages)
        found = [self._sources(part, of_line) for part in parts]
        verdicts = [one.verdict for one in found if one.verdict]
        if not verdicts:
            return unclaimed
        verdict = next((v for v in verdicts if not v.supported), verdicts[0])
        if not cited and verdict.reason == "uncited" and restates(piece.text, self.question):
            return unclaimed
        shown = "".join(part.citing(one.written) for part, one in zip(parts, found, strict=True))
        sources = tuple(dict.fromkeys(id_ for one in found for id_ in one.by))
        is_value = any(part.about for part in parts)
        return CheckedSentence(
            shown, cited, unclaimed.unknown, sources, verdict, unclaimed.leads, is_value=is_value
        )

    def _sources(self, part: Stretch, of_line: tuple[str, ...]) -> _Sourced:
        """Find what supports a stretch: what it cites, else what its line cites, else any passage that was given.

        A mere value is not looked for elsewhere: some other passage always has it of something else.
        """
        own = tuple(id_ for id_ in cited_ids(part.markers) if id_ in self.passages)
        if not part.said.strip():
            return _Sourced(own)
        cited = own or of_line
        each = {id_: self._supports(part, id_) for id_ in cited}
        if kept := tuple(id_ for id_ in cited if each[id_].supported):
            best_kept = max((each[id_] for id_ in kept), key=_rank)
            denied = self._contradiction(part, best_kept, each)
            return _Sourced(kept if own else (), kept, denied or best_kept)
        if cited and part.about:
            return _Sourced(own, own, max(each.values(), key=_rank))
        if len(cited) > 1 and (together := self._supports(part, *cited)).supported:
            return _Sourced(own, cited, together)
        return self._elsewhere(part, own, each)

    def _elsewhere(self, part: Stretch, own: tuple[str, ...], each: Mapping[str, Verdict]) -> _Sourced:
        """Find the passage that says what none of those cited says, if one clearly does."""
        others = {id_: self._supports(part, id_) for id_ in self.passages if id_ not in each}
        best = max(others, key=lambda id_: _rank(others[id_]), default="")
        clear = bool(best) and others[best].score >= _CLEAR
        if clear and others[best].supported:
            denied = self._contradiction(part, others[best], {**each, **others})
            return _Sourced((best,), (best,), denied or others[best])
        if own:
            return _Sourced(own, own, max(each.values(), key=_rank))
        may_say = best if best and others[best].supported else ""
        return _Sourced((), (), others[best] if clear else replace(_UNCITED, detail=may_say))

    def _contradiction(self, part: Stretch, support: Verdict, known: Mapping[str, Verdict]) -> Verdict | None:
        """Return the denial of a passage that comes clearly nearer to a sentence than the one that supports it.

        Another subject's rule may read like support; the passage on the subject itself then says the opposite.
        """
        if support.score > 1 - _NEARER:
            return None
        checked = (known.get(id_) or self._supports(part, id_) for id_ in self.passages)
        denials = [v for v in checked if v.reason == "negation" and v.score >= support.score + _NEARER]
        return max(denials, key=_rank, default=None)

    def _recorded(self, piece: str) -> Verdict:
        """Return whether a record says what a sentence says."""
        checked = [supports(without_bullet(piece), text, similarity=self.similarity) for text in self.records]
        return max(checked, key=_rank, default=_UNCITED)

    def _supports(self, part: Stretch, *ids: str) -> Verdict:
        passage = "\n\n".join(self.passages[id_] for id_ in ids)
        verdict = supports(without_bullet(part.said), passage, similarity=self.similarity)
        foreign = (name for name in part.about if not speaks_of(name, passage, similarity=self.similarity))
        if verdict.supported and (name := next(foreign, "")):
            return Verdict(supported=False, reason="subject", detail=name, score=verdict.score)
        return verdict


def _parts(piece: Placed) -> list[Stretch]:
    """Cut a sentence into its stretches; one that is a mere value says it of the label that it stands under."""
    if piece.columns:
        return cell_stretches(piece.text, piece.columns)
    parts = stretches(piece.text)
    if not piece.label or len(content_words(labelled(strip_citations(piece.text))[1])) > _VALUE:
        return parts
    return [replace(part, claim=_of_label(piece.label, part.said), about=(piece.label,)) for part in parts]


def _of_label(label: str, said: str) -> str:
    labels, value = labelled(said)
    return ("：" if language_of(said) == "zh" else " ").join([label, *labels, value.strip()])


def _rank(verdict: Verdict) -> tuple[bool, float]:
    return verdict.supported, verdict.score
