"""What one answer is worth: every sentence supported, every source right, every fact there, or honestly refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_core.messages import BaseMessage

from evals.figures import density_used
from evals.relevance import contains
from nodes.citations import Similarity, cited_ids, strip_citations, supports, verify
from nodes.citations.embedded import by_embedding
from nodes.passages import records_in
from store.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn to be graded.

    Attributes:
        asked: the labelled question.
        answer: what the user got.
        given: every passage that the thread holds, by id.
        log: its messages.
    """

    asked: Mapping[str, Any]
    answer: str
    given: Mapping[str, Mapping[str, str]]
    log: Sequence[BaseMessage]


class Graded(TypedDict):
    """The grades of an answer.

    ``sentences``: of each factual sentence, whether what it cites (or a record of the turn) supports it;
    ``citations``: of each citation, whether its passage was given and supports its sentence; ``complete``: every
    required fact stands in the answer; ``facts_retrieved``: every one stands in the passages that were given;
    ``refused``: the answer states nothing that is supported.
    """

    sentences: list[bool]
    citations: list[bool]
    complete: bool
    facts_retrieved: bool
    refused: bool
    density_used: float


async def grade(turn: Turn, embedder: Embedder) -> Graded:
    """Grade an answer."""
    cited = {id_: turn.given[id_] for id_ in cited_ids(turn.answer) if id_ in turn.given}
    passages = {id_: f"{p['section']}\n{p['text']}" for id_, p in cited.items()}

    def check(similarity: Similarity | None) -> tuple[list[bool], list[bool]]:
        found = verify(
            turn.answer,
            passages,
            question=turn.asked["question"],
            similarity=similarity,
            records=records_in(turn.log),
        )
        factual = [s for s in found.sentences if s.factual]
        citations = [
            id_ in s.cited and _backs(s.text, passages, s.cited, id_, similarity)
            for s in found.sentences
            for id_ in (*s.cited, *s.unknown)
        ]
        return [not s.fails and not s.recited for s in factual], citations

    sentences, citations = await by_embedding(check, embedder)
    required = turn.asked.get("must_contain", ())
    return Graded(
        sentences=sentences,
        citations=citations,
        complete=contains(strip_citations(turn.answer), required),
        facts_retrieved=contains("\n".join(p["text"] for p in turn.given.values()), required),
        refused=not any(sentences),
        density_used=round(density_used(turn.log), 4),
    )


def _backs(
    sentence: str,
    passages: Mapping[str, str],
    cited: Sequence[str],
    id_: str,
    similarity: Similarity | None,
) -> bool:
    """Tell whether a cited passage supports its sentence, alone or with the others that are cited for it."""
    alone = supports(sentence, passages[id_], similarity=similarity).supported
    together = "\n\n".join(passages[one] for one in cited)
    return alone or (len(cited) > 1 and supports(sentence, together, similarity=similarity).supported)
