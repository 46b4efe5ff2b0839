"""The suite `retrieval`: what each search mode finds, what the confidence is worth, how long it all takes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evals import plots
from evals.corpora import DATA, Corpus, load_corpora, tuning_corpora
from evals.intervals import Metric, metric, percentile, share
from evals.plain import LEXICAL, PLAIN
from evals.ranking import auroc, both_parts, figures, reliability
from evals.results import result, versioned
from evals.searches import Seen, ask
from evals.suite import Options, Result
from graph.support import open_knowledge_only
from nodes.look_up import PASSAGES, SEVERAL
from nodes.models import chat_model
from store.confidence import ANSWERABLE
from store.knowledge import Knowledge
from store.search import DEFAULT_MODE, MODES

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
    seen, model = Seen(), chat_model(options.settings)
    for corpus in options.track(corpora):
        await ask(knowledge, model, corpus, () if options.sample else tuning_corpora(corpus), seen)
    modes = {mode: seen.of(mode) for mode in MODES}
    metrics = {f"default.{key}": value for key, value in figures(modes[DEFAULT_MODE]).items()}
    metrics |= (
        _product(seen)
        | _confidence(seen)
        | _times(seen)
        | _ingestion(seen)
        | {f"{mode}.{key}": value for mode, rows in modes.items() for key, value in figures(rows).items()}
    )
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


def _plots(seen: Seen, by_name: Mapping[str, Mapping[str, Metric]]) -> list[plots.Plot]:
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


def _product(seen: Seen) -> dict[str, Metric]:
    """Return the figures of questions that went the product's own way, and of those that it was tuned by."""
    found = {f"followup.{key}": value for key, value in figures(seen.of("followup")).items()}
    found |= {f"tuned.{key}": value for key, value in figures(seen.of("tuned")).items()}
    if doubles := seen.of("multi"):
        found["multi.both@5"] = both_parts(doubles)
        found["multi.both@context"] = both_parts(doubles, SEVERAL * PASSAGES)
        found["multi.unsplit.both@5"] = both_parts(seen.of("multi unsplit"))
    if talk := seen.of("chitchat"):
        found["smalltalk_no_retrieval"] = share([each["direct"] for each in talk])
    return found


def _confidence(seen: Seen) -> dict[str, Metric]:
    if not seen.sure or not seen.unsure:
        return {}
    return {
        "auroc_answerable": metric(auroc(seen.sure, seen.unsure), len(seen.sure) + len(seen.unsure)),
        "needless_escalation": share([value < ANSWERABLE for value in seen.sure]),
        "missed_unanswerable": share([value >= ANSWERABLE for value in seen.unsure]),
    }


def _times(seen: Seen) -> dict[str, Metric]:
    if not seen.embedding:
        return {}
    found = {
        f"{mode}.search_p{cut}_ms": metric(percentile(seen.milliseconds[mode], cut / 100), len(seen.milliseconds[mode]))
        for mode in MODES
        for cut in (50, 95)
    }  # fmt: skip
    found |= {f"search_p{cut}_ms": found[f"{DEFAULT_MODE}.search_p{cut}_ms"] for cut in (50, 95)}
    return found | {"embed_p50_ms": metric(percentile(seen.embedding, 0.5), len(seen.embedding))}


def _ingestion(seen: Seen) -> dict[str, Metric]:
    chunks, seconds, again, refining = (
        sum(getattr(each, name) for each in seen.ingestions)
        for name in ("chunks", "seconds", "again", "refining")
    )
    if not chunks:
        return {}
    return {
        "ingest_s_per_1000_chunks": metric(1_000 * seconds / chunks, chunks),
        "reingest_share": metric(again / seconds, chunks),
        "refine_s_per_1000_chunks": metric(1_000 * refining / chunks, chunks),
    }
