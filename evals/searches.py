"""What the search, its modes and its baselines find for the questions to a help centre, and how long they take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from langchain_core.language_models import BaseChatModel

from evals.corpora import Corpus, Ingested, ingested, said_before
from evals.plain import LEXICAL, PLAIN, PlainIndex
from evals.ranking import row
from evals.relevance import Piece, gold
from nodes.look_up import PASSAGES, look_up
from nodes.routing import decide
from store.knowledge import Knowledge
from store.lexical import fold
from store.search import DEFAULT_MODE, MODES, Mode, Passage, search

DEPTH = 50
Rows = list[dict[str, Any]]


@dataclass(slots=True)
class Seen:
    """What was got on all corpora.

    Attributes:
        rows: one a question and ``way``: a mode, a baseline, or a kind of question that goes the product's own way.
        milliseconds: of each search by a mode or a baseline.
        embedding: milliseconds of each question's embedding.
        sure: the best confidence of each question with an answer.
        unsure: that of each question without one.
        ingestions: one a corpus.
    """

    rows: Rows = field(default_factory=list)
    milliseconds: dict[str, list[float]] = field(default_factory=dict)
    embedding: list[float] = field(default_factory=list)
    sure: list[float] = field(default_factory=list)
    unsure: list[float] = field(default_factory=list)
    ingestions: list[Ingested] = field(default_factory=list)

    def of(self, way: str) -> Rows:
        """Return the rows of a way."""
        return [each for each in self.rows if each["way"] == way]


async def ask(
    knowledge: Knowledge, model: BaseChatModel, corpus: Corpus, tuning: Sequence[Corpus], seen: Seen
) -> None:
    """Ingest a corpus for a while, ask everything, and add what was got.

    Args:
        knowledge: the index.
        model: rewrites follow-ups.
        corpus: articles and questions.
        tuning: the questions over the same articles by which the search was tuned.
        seen: is added to.
    """
    async with ingested(knowledge, corpus, refined=True) as collection:
        seen.ingestions.append(collection)
        asking = _Asking(knowledge, corpus, collection.name, seen)
        await asking.modes()
        await asking.other_kinds()
        await asking.product(model)
        await asking.baselines()
        for tuned in tuning:
            for question, text in tuned.asked("single", "followup"):
                asking.keep("tuned", question, await asking.search(text, DEFAULT_MODE, DEPTH))


class _Asking:
    """One corpus in its collection."""

    def __init__(self, knowledge: Knowledge, corpus: Corpus, collection: str, seen: Seen) -> None:
        self.knowledge, self.corpus, self.collection, self.seen = knowledge, corpus, collection, seen
        self.paths = {document.doc_id: document.source for document in corpus.documents}

    async def modes(self) -> None:
        """Ask what has one answer, by every mode: deep, for the ranking, and as an answer does, for the time."""
        for question, text in self.corpus.asked("single", "followup"):
            for mode in MODES:
                self.keep(mode, question, await self.search(text, mode, DEPTH))
            self.seen.sure.append(_surest(await self._timed(text)))

    async def other_kinds(self) -> None:
        """Ask what has no answer, and say what is small talk."""
        for _, text in self.corpus.asked("unanswerable"):
            self.seen.unsure.append(_surest(await self.search(text, DEFAULT_MODE, PASSAGES)))
        for question, text in self.corpus.asked("chitchat"):
            direct = decide(text)["route"] == "direct"
            self.seen.rows.append(
                {"id": question["id"], "way": "chitchat", "direct": direct, "failed": not direct}
            )

    async def product(self, model: BaseChatModel) -> None:
        """Ask follow-ups as typed and double questions the product's own way."""
        for question, text in self.corpus.asked("followup", "multi"):
            found = await look_up(
                self.knowledge, question["question"], said_before(question), model, collection=self.collection
            )
            self.keep(question["kind"], question, found.passages)
            if question["kind"] == "multi":
                self.keep("multi unsplit", question, await self.search(text, DEFAULT_MODE, PASSAGES))

    async def baselines(self) -> None:
        """Ask the baselines what has one answer, over the same chunks."""
        async with PlainIndex.over(self.knowledge, self.corpus) as index:
            for question, text in self.corpus.asked("single", "followup"):
                for name, rank in ((PLAIN, index.hybrid), (LEXICAL, index.ts_rank)):
                    began = perf_counter()
                    pieces = await rank(text, DEPTH)
                    self._spent(name, began)
                    self._keep_pieces(name, question, pieces)

    async def search(self, text: str, mode: Mode, k: int) -> list[Passage]:
        """Search the collection."""
        return await search(self.knowledge, text, collection=self.collection, mode=mode, k=k)

    def keep(self, way: str, question: Mapping[str, Any], found: Sequence[Passage]) -> None:
        """Add what a question got."""
        self._keep_pieces(way, question, [Piece(self.paths[each.doc_id], each.text) for each in found])
        self.seen.rows[-1]["got"] = [each.id for each in found[:PASSAGES]]

    def _keep_pieces(self, way: str, question: Mapping[str, Any], pieces: Sequence[Piece]) -> None:
        got = row(question, pieces, gold(question, self.corpus.bodies))
        self.seen.rows.append(
            got | {"way": way, "corpus": self.corpus.folder.name, "failed": got["sec"] != 1}
        )

    async def _timed(self, text: str) -> list[Passage]:
        """Search by every mode for the passages of one answer, and return those of the default mode."""
        began = perf_counter()
        await self.knowledge.embedder.embed_query(fold(text))
        self.seen.embedding.append(1_000 * (perf_counter() - began))
        found: list[Passage] = []
        for mode in MODES:
            began = perf_counter()
            passages = await self.search(text, mode, PASSAGES)
            self._spent(mode, began)
            found = passages if mode == DEFAULT_MODE else found
        return found

    def _spent(self, way: str, began: float) -> None:
        self.seen.milliseconds.setdefault(way, []).append(1_000 * (perf_counter() - began))


def _surest(found: Sequence[Passage]) -> float:
    return max((passage.confidence for passage in found), default=0.0)
