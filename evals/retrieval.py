"""The suite `retrieval`: what each search mode finds, what the confidence is worth, how long a search takes."""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from statistics import mean
from time import perf_counter
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from evals.corpora import DATA, Corpus, ingested, load_corpus
from evals.intervals import metric, percentile
from evals.plain import PlainHybrid
from evals.ranking import auroc, both_parts, figures, row
from evals.relevance import Piece, gold
from evals.results import result, versioned
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.models import chat_model
from nodes.questions import split_questions
from nodes.rewrite import rewrite
from nodes.routing import decide
from store.confidence import ANSWERABLE
from store.knowledge import Knowledge
from store.search import MODES, Mode, Passage, search
from store.settings import Settings

DEFAULT: Mode = "hybrid"
DEPTH = 50
SHOWN = 5
ABOUT = "the search modes, the confidence, follow-ups and double questions"
BOUNDS = {"default.art@3": (">=", 0.8), "default.sec@5": (">=", 0.7), "smalltalk_no_retrieval": (">=", 0.95)}
"""Least figures on the sample help centre, whose questions are worded unlike the articles."""


async def measure(options: Options) -> Result:
    """Run the suite on the corpus that a run names."""
    data = options.data or DATA
    corpus = load_corpus(options.corpus, data)
    async with open_knowledge_only(options.settings) as opened:
        return await run(opened.knowledge, options.settings, corpus, versioned(data))


async def run(knowledge: Knowledge, configured: Settings, corpus: Corpus, dataset: str) -> Result:
    """Run the suite on one corpus.

    Args:
        knowledge: an index; the corpus is ingested into a collection of its own and removed again.
        configured: names the model that rewrites follow-ups.
        corpus: articles and questions.
        dataset: how the data set is named in the result.
    """
    async with ingested(knowledge, corpus) as name:
        suite = _Suite(knowledge, configured, corpus, name)
        rows = [each for mode in MODES for each in await suite.mode(mode)]
        metrics = (
            await suite.followups() | await suite.doubles() | suite.small_talk() | await suite.confidence()
        )
        metrics |= await suite.latency()
        plain = await suite.plain()
    by_mode = {mode: figures([each for each in rows if each["mode"] == mode]) for mode in MODES}
    for mode, found in by_mode.items():
        metrics |= {f"{mode}.{key}": value for key, value in found.items()}
    metrics |= {f"default.{key}": value for key, value in by_mode[DEFAULT].items()}
    return result(
        "retrieval",
        n=len(corpus.questions),
        dataset=dataset,
        metrics=metrics,
        bounds=BOUNDS,
        baselines={"PGVectorStore hybrid": plain},
        rows=rows,
        model=configured.chat_model,
        embedding=knowledge.embedder.name,
    )


class _Suite:
    """One run: the corpus in its collection, and the times that searches took."""

    def __init__(self, knowledge: Knowledge, configured: Settings, corpus: Corpus, name: str) -> None:
        self.knowledge, self.configured, self.corpus, self.name = knowledge, configured, corpus, name
        self.paths = {document.doc_id: document.source for document in corpus.documents}

    async def mode(self, mode: Mode) -> list[dict[str, Any]]:
        """Rank for every question with one answer, follow-ups in their standalone form."""
        return [
            self._row(question, await self._search(text, mode)) | {"mode": mode}
            for question, text in self.corpus.asked("single", "followup")
        ]

    async def followups(self) -> dict[str, Any]:
        """Rank for follow-ups as typed, rewritten by the product."""
        rows = []
        for question, _ in self.corpus.asked("followup"):
            said = [
                HumanMessage(text) if role == "user" else AIMessage(text)
                for role, text in question["history"]
            ]
            rewritten = await rewrite(question["question"], said, chat_model(self.configured))
            rows.append(self._row(question, await self._search(rewritten.text, DEFAULT)))
        return {f"followup.{key}": value for key, value in figures(rows).items()}

    async def doubles(self) -> dict[str, Any]:
        """Search for two questions in one, as one and part by part in turn."""
        whole, apart = [], []
        for question, text in self.corpus.asked("multi"):
            whole.append(self._row(question, await self._search(text, DEFAULT)))
            found = [await self._search(part, DEFAULT) for part in split_questions(text)]
            mixed = [each for each in chain.from_iterable(zip_longest(*found)) if each is not None]
            apart.append(self._row(question, list(dict.fromkeys(mixed))))
        if not whole:
            return {}
        return {"multi.both@5": both_parts(apart), "multi.unsplit.both@5": both_parts(whole)}

    def small_talk(self) -> dict[str, Any]:
        """Count the small talk that is answered without a search."""
        direct = [decide(text)["route"] == "direct" for _, text in self.corpus.asked("chitchat")]
        return {"smalltalk_no_retrieval": metric(mean(direct), len(direct), rate=True)} if direct else {}

    async def confidence(self) -> dict[str, Any]:
        """Compare the best confidence of questions with and without an answer."""
        sure, unsure = [
            [await self._confidence(text) for _, text in self.corpus.asked(*kinds)]
            for kinds in (("single", "followup"), ("unanswerable",))
        ]
        if not sure or not unsure:
            return {}
        return {
            "auroc_answerable": metric(auroc(sure, unsure), len(sure) + len(unsure)),
            "needless_escalation": metric(mean(c < ANSWERABLE for c in sure), len(sure), rate=True),
            "missed_unanswerable": metric(mean(c >= ANSWERABLE for c in unsure), len(unsure), rate=True),
        }

    async def plain(self) -> dict[str, float]:
        """Rank by PGVectorStore's own hybrid search over the same chunks, and time it."""
        async with PlainHybrid.over(self.knowledge, self.corpus) as store:
            rows = [
                row(question, await store.search(text, DEPTH), gold(question, self.corpus.bodies))
                for question, text in self.corpus.asked("single", "followup")
            ]
        found = {key: value["value"] for key, value in figures(rows).items()}
        return found | {"search_p95_ms": round(percentile(store.milliseconds, 0.95), 1)}

    async def latency(self) -> dict[str, Any]:
        """Return how long a search for the passages of one answer takes, the embedding of the question included."""
        times = {
            mode: [await self._time(text, mode) for _, text in self.corpus.asked("single")] for mode in MODES
        }
        found = {
            f"{mode}.search_p{share}_ms": metric(percentile(spent, share / 100), len(spent))
            for mode, spent in times.items()
            for share in (50, 95)
        }
        return found | {f"search_p{share}_ms": found[f"{DEFAULT}.search_p{share}_ms"] for share in (50, 95)}

    async def _time(self, text: str, mode: Mode) -> float:
        began = perf_counter()
        await search(self.knowledge, text, collection=self.name, mode=mode, k=SHOWN)
        return 1_000 * (perf_counter() - began)

    async def _search(self, text: str, mode: Mode) -> list[Passage]:
        return await search(self.knowledge, text, collection=self.name, mode=mode, k=DEPTH)

    async def _confidence(self, text: str) -> float:
        found = (await self._search(text, DEFAULT))[:SHOWN]
        return max((passage.confidence for passage in found), default=0.0)

    def _row(self, question: Mapping[str, Any], found: Sequence[Passage]) -> dict[str, Any]:
        pieces = [Piece(self.paths[passage.doc_id], passage.text) for passage in found]
        return row(question, pieces, gold(question, self.corpus.bodies)) | {
            "got": [passage.id for passage in found[:SHOWN]]
        }
