"""The suite `retrieval`: what each search mode finds, what the confidence is worth, how long it all takes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from evals import plots
from evals.corpora import DATA, Corpus, Ingested, ingested, load_corpora, said_before, tuning_corpora
from evals.intervals import Metric, metric, percentile, share
from evals.plain import LEXICAL, PLAIN, PlainIndex
from evals.ranking import auroc, both_parts, figures, reliability, row
from evals.relevance import Piece, gold
from evals.results import result, versioned
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.look_up import PASSAGES, SEVERAL, look_up
from nodes.models import chat_model
from nodes.routing import decide
from store.confidence import ANSWERABLE
from store.knowledge import Knowledge
from store.lexical import fold
from store.search import DEFAULT_MODE, MODES, Mode, Passage, search
from store.settings import Settings

DEPTH = 50
ABOUT = "the search modes, the confidence, follow-ups, double questions and times, beside PGVectorStore and ts_rank"
BOUNDS = {
    "default.art@1": (">=", 0.83),
    "default.art@3": (">=", 0.93),
    "default.sec@1": (">=", 0.72),
    "default.sec@3": (">=", 0.86),
    "default.sec@5": (">=", 0.91),
    "default.fact": (">=", 0.94),
    "followup.sec@1": (">=", 0.75),
    "multi.both@5": (">=", 0.80),
    "multi.both@context": (">=", 0.80),
    "smalltalk_no_retrieval": (">=", 0.95),
    "needless_escalation": ("<=", 0.05),
    "missed_unanswerable": ("<=", 0.25),
    "ingest_s_per_1000_chunks": ("<=", 60.0),
    "reingest_share": ("<=", 0.05),
}
"""What is promised on help centres that nobody tuned to."""
HOW = [
    "Questions with one answer are ranked by every mode, follow-ups among them in their standalone form.",
    "Follow-ups as typed and double questions go the product's own way, with the passages that an answer gets.",
    "`multi.both@5` looks at the first five passages of an answer, `multi.both@context` at all: five a question.",
    "`tuned.…` are the figures on the questions by which the search was tuned, if there are any on the same articles.",
    "PGVectorStore is asked with a fresh configuration a search and its text cut into words; ts_rank ranks our terms.",
]

Rows = list[dict[str, Any]]


async def measure(options: Options) -> Result:
    """Run the suite on the help centre that a run names, or on a folder of several."""
    data = options.data or DATA
    whole, files = load_corpora(options.corpus, data)
    corpora = [replace(corpus, questions=options.some(corpus.questions)) for corpus in whole]
    async with open_knowledge_only(options.settings) as opened:
        return await run(opened.knowledge, options, corpora, versioned(*files))


async def run(knowledge: Knowledge, options: Options, corpora: Sequence[Corpus], dataset: str) -> Result:
    """Run the suite on some corpora, their questions taken together.

    Args:
        knowledge: an index; each corpus is ingested into a collection of its own and removed again.
        options: of the run; the settings name the model that rewrites follow-ups.
        corpora: articles and questions.
        dataset: how the data set is named in the result.
    """
    seen = _Seen()
    for corpus in options.track(corpora):
        async with ingested(knowledge, corpus, refined=True) as collection:
            suite = _Suite(knowledge, options.settings, corpus, collection, seen)
            await suite.measure(() if options.sample else tuning_corpora(corpus))
    modes = {mode: seen.of(mode) for mode in MODES}
    metrics = {f"default.{key}": value for key, value in figures(modes[DEFAULT_MODE]).items()}
    metrics |= seen.metrics() | {
        f"{mode}.{key}": value for mode, rows in modes.items() for key, value in figures(rows).items()
    }
    baselines = {name: figures(seen.of(name)) for name in (PLAIN, LEXICAL, "bm25", "dense")}
    return result(
        "retrieval",
        n=sum(len(corpus.questions) for corpus in corpora),
        dataset=dataset,
        metrics=metrics,
        bounds=BOUNDS,
        baselines={
            name: _values(found, seen.milliseconds.get(name, [])) for name, found in baselines.items()
        },
        rows=seen.rows,
        model=options.settings.chat_model,
        embedding=knowledge.embedder.name,
        how=HOW,
        plots=_plots(seen, baselines | {mode: figures(rows) for mode, rows in modes.items()}),
    )


def _values(found: Mapping[str, Metric], milliseconds: Sequence[float]) -> dict[str, float]:
    """Return a baseline's figures under the names of ours."""
    values = {f"default.{key}": float(each["value"]) for key, each in found.items()}
    times = {
        f"search_p{cut}_ms": round(percentile(milliseconds, cut / 100), 1) for cut in (50, 95) if milliseconds
    }
    return values | times


def _plots(seen: "_Seen", by_name: Mapping[str, Mapping[str, Metric]]) -> list[plots.Plot]:
    drawn = [
        plots.bars(f"{kind}@{cut}", {name: found[f"{kind}@{cut}"]["value"] for name, found in by_name.items() if found},
                   ours=DEFAULT_MODE)
        for kind, cut in (("art", 1), ("sec", 1), ("sec", 5))
    ]  # fmt: skip
    if seen.sure and seen.unsure:
        curve = reliability(seen.sure, seen.unsure)
        drawn.append(
            plots.lines("reliability of the confidence", {"confidence": curve}, x="confidence",
                        y="share with an answer", ideal=True)
        )  # fmt: skip
    return drawn


class _Seen:
    """What was got on all corpora."""

    def __init__(self) -> None:
        self.rows: Rows = []
        self.milliseconds: dict[str, list[float]] = {}
        self.embedding: list[float] = []
        self.sure: list[float] = []
        self.unsure: list[float] = []
        self.ingestions: list[Ingested] = []

    def of(self, way: str) -> Rows:
        """Return the rows of a mode, a baseline or a kind of question."""
        return [each for each in self.rows if each["way"] == way]

    def metrics(self) -> dict[str, Metric]:
        """Return the figures beside those of the modes."""
        found = {f"followup.{key}": value for key, value in figures(self.of("followup")).items()}
        found |= {f"tuned.{key}": value for key, value in figures(self.of("tuned")).items()}
        if doubles := self.of("multi"):
            found["multi.both@5"] = both_parts(doubles)
            found["multi.both@context"] = both_parts(doubles, SEVERAL * PASSAGES)
            found["multi.unsplit.both@5"] = both_parts(self.of("multi unsplit"))
        if talk := self.of("chitchat"):
            found["smalltalk_no_retrieval"] = share([each["direct"] for each in talk])
        return found | self._confidence() | self._times() | self._ingestion()

    def _confidence(self) -> dict[str, Metric]:
        if not self.sure or not self.unsure:
            return {}
        return {
            "auroc_answerable": metric(auroc(self.sure, self.unsure), len(self.sure) + len(self.unsure)),
            "needless_escalation": share([value < ANSWERABLE for value in self.sure]),
            "missed_unanswerable": share([value >= ANSWERABLE for value in self.unsure]),
        }

    def _times(self) -> dict[str, Metric]:
        found = {
            f"{mode}.search_p{cut}_ms": metric(percentile(self.milliseconds[mode], cut / 100), len(self.milliseconds[mode]))
            for mode in MODES if mode in self.milliseconds
            for cut in (50, 95)
        }  # fmt: skip
        if not self.embedding:
            return {}
        found |= {f"search_p{cut}_ms": found[f"{DEFAULT_MODE}.search_p{cut}_ms"] for cut in (50, 95)}
        return found | {"embed_p50_ms": metric(percentile(self.embedding, 0.5), len(self.embedding))}

    def _ingestion(self) -> dict[str, Metric]:
        chunks = sum(each.chunks for each in self.ingestions)
        seconds = sum(each.seconds for each in self.ingestions)
        return {
            "ingest_s_per_1000_chunks": metric(1_000 * seconds / chunks, chunks),
            "reingest_share": metric(sum(each.again for each in self.ingestions) / seconds, chunks),
            "refine_s_per_1000_chunks": metric(
                1_000 * sum(each.refining for each in self.ingestions) / chunks, chunks
            ),
        }


class _Suite:
    """One corpus in its collection."""

    def __init__(
        self, knowledge: Knowledge, configured: Settings, corpus: Corpus, collection: Ingested, seen: _Seen
    ) -> None:
        self.knowledge, self.configured, self.corpus, self.seen = knowledge, configured, corpus, seen
        self.name = collection.name
        self.paths = {document.doc_id: document.source for document in corpus.documents}
        seen.ingestions.append(collection)

    async def measure(self, tuning: Sequence[Corpus]) -> None:
        """Ask everything, and the questions over the same articles by which the search was tuned."""
        for question, text in self.corpus.asked("single", "followup"):
            for mode in MODES:
                self._keep(mode, question, await self._search(text, mode, DEPTH))
            self.seen.sure.append(_surest(await self._timed(text)))
        for _, text in self.corpus.asked("unanswerable"):
            self.seen.unsure.append(_surest(await self._search(text, DEFAULT_MODE, PASSAGES)))
        for question, text in self.corpus.asked("chitchat"):
            direct = decide(text)["route"] == "direct"
            self.seen.rows.append(
                {"id": question["id"], "way": "chitchat", "direct": direct, "failed": not direct}
            )
        await self._product()
        await self._plain()
        for tuned in tuning:
            for question, text in tuned.asked("single", "followup"):
                self._keep("tuned", question, await self._search(text, DEFAULT_MODE, DEPTH))

    async def _product(self) -> None:
        """Ask follow-ups as typed and double questions the product's own way."""
        model = chat_model(self.configured)
        for question, text in self.corpus.asked("followup", "multi"):
            found = await look_up(
                self.knowledge, question["question"], said_before(question), model, collection=self.name
            )
            self._keep(question["kind"], question, found.passages)
            if question["kind"] == "multi":
                self._keep("multi unsplit", question, await self._search(text, DEFAULT_MODE, PASSAGES))

    async def _plain(self) -> None:
        """Ask the baselines for the same questions, over the same chunks."""
        async with PlainIndex.over(self.knowledge, self.corpus) as index:
            for question, text in self.corpus.asked("single", "followup"):
                for name, rank in ((PLAIN, index.hybrid), (LEXICAL, index.ts_rank)):
                    began = perf_counter()
                    pieces = await rank(text, DEPTH)
                    self._spent(name, began)
                    self._keep_pieces(name, question, pieces)

    async def _timed(self, text: str) -> list[Passage]:
        """Search by every mode for the passages of one answer, and return those of the default mode."""
        began = perf_counter()
        await self.knowledge.embedder.embed_query(fold(text))
        self.seen.embedding.append(1_000 * (perf_counter() - began))
        found: list[Passage] = []
        for mode in MODES:
            began = perf_counter()
            passages = await self._search(text, mode, PASSAGES)
            self._spent(mode, began)
            found = passages if mode == DEFAULT_MODE else found
        return found

    def _spent(self, way: str, began: float) -> None:
        self.seen.milliseconds.setdefault(way, []).append(1_000 * (perf_counter() - began))

    async def _search(self, text: str, mode: Mode, k: int) -> list[Passage]:
        return await search(self.knowledge, text, collection=self.name, mode=mode, k=k)

    def _keep(self, way: str, question: Mapping[str, Any], found: Sequence[Passage]) -> None:
        self._keep_pieces(way, question, [Piece(self.paths[each.doc_id], each.text) for each in found])
        self.seen.rows[-1]["got"] = [each.id for each in found[:PASSAGES]]

    def _keep_pieces(self, way: str, question: Mapping[str, Any], pieces: Sequence[Piece]) -> None:
        got = row(question, pieces, gold(question, self.corpus.bodies))
        self.seen.rows.append(
            got | {"way": way, "corpus": self.corpus.folder.name, "failed": got["sec"] != 1}
        )


def _surest(found: Sequence[Passage]) -> float:
    return max((passage.confidence for passage in found), default=0.0)
