"""A folder of articles and the questions to it, as the suites of retrieval read them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from evals import jsonl
from evals.relevance import gold
from store.documents import Document, read_folder
from store.ingest import ingest
from store.knowledge import Knowledge, delete_collection
from store.refinement import refine
from store.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DATA = Path(__file__).parent / "data" / "retrieval.jsonl"
SAMPLE = PROJECT / "helpcenter"
_QUESTIONS = ".questions.jsonl"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A help centre with labelled questions."""

    folder: Path
    documents: Sequence[Document]
    questions: Sequence[dict[str, Any]]

    @property
    def bodies(self) -> dict[str, str]:
        """Markdown of the articles by their path."""
        return {document.source: document.body for document in self.documents}

    def asked(self, *kinds: str) -> Iterator[tuple[dict[str, Any], str]]:
        """Return the questions of some kinds, each with the form that stands alone."""
        for question in self.questions:
            if question["kind"] in kinds:
                yield question, question.get("standalone") or question["question"]


def said_before(question: Mapping[str, Any]) -> list[BaseMessage]:
    """Return the turns before a question, given as (role, text) or as texts that user and assistant said in turn."""
    history = question.get("history") or []
    pairs = [(each[0], each[1]) if isinstance(each, list) else (("user", "assistant")[place % 2], each)
             for place, each in enumerate(history)]  # fmt: skip
    return [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in pairs]


def load_corpus(folder: Path = SAMPLE, data: Path = DATA, *, split: str = "") -> Corpus:
    """Read a corpus.

    Args:
        folder: the articles.
        data: questions in JSON Lines; those that name another corpus are left out.
        split: those of another split are left out too (``dev`` or ``test``); empty: none.

    Raises:
        DataError: no question belongs to the folder, or one cannot be asked or judged.
    """
    lines = jsonl.rows(data)
    questions = [
        line
        for line in lines
        if line.get("corpus", folder.name) == folder.name and (not split or line.get("split", split) == split)
    ]
    if not questions:
        raise jsonl.DataError(
            f"{data} holds no question to the corpus {folder.name!r}. Name both with --corpus and --data."
        )
    corpus = Corpus(folder, articles(folder), questions)
    _check(corpus, data)
    return corpus


def articles(folder: Path) -> list[Document]:
    """Return the articles of a folder that can be read."""
    return [each for each in read_folder(folder) if isinstance(each, Document)]


def _check(corpus: Corpus, data: Path) -> None:
    """Refuse questions that cannot be asked or judged, before any work is done for the others."""
    for place, question in enumerate(corpus.questions, start=1):
        for key in ("id", "question", "kind"):
            if not isinstance(question.get(key), str):
                named = question.get("id", f"number {place}")
                raise jsonl.DataError(f"{data}: question {named!r} has no text {key!r}.")
        gold({"gold": [], **question}, corpus.bodies)


def load_corpora(folder: Path, data: Path) -> tuple[list[Corpus], list[Path]]:
    """Read one corpus, or every corpus of a folder that holds ``NAME/`` beside ``NAME.questions.jsonl``.

    Args:
        folder: the articles, or the folder of several help centres.
        data: questions in JSON Lines, of which only the split ``test`` is asked if there is one; several help
            centres bring their own.

    Returns:
        The corpora, and the files of their questions.

    Raises:
        ValueError: no question belongs to the folder.
    """
    files = sorted(folder.glob("*" + _QUESTIONS))
    if not files:
        whole = load_corpus(folder, data)
        kept = [line for line in whole.questions if line.get("split") == "test"]
        return [replace(whole, questions=kept or whole.questions)], [data]
    return [load_corpus(folder / file.name.removesuffix(_QUESTIONS), file) for file in files], files


def tuning_corpora(corpus: Corpus) -> list[Corpus]:
    """Return the questions by which the search was tuned over the same articles, unless they are the ones asked."""
    try:
        tuned = load_corpus(corpus.folder, DATA, split="dev")
    except ValueError:
        return []
    known = {document.source for document in corpus.documents}
    asked = {question["question"] for question in corpus.questions}
    same = all(label["path"] in known for each in tuned.questions for label in each["gold"])
    return [tuned] if same and not asked & {each["question"] for each in tuned.questions} else []


@dataclass(frozen=True, slots=True)
class Ingested:
    """A corpus in the collection ``name``; times in seconds, ``again`` that of an ingestion that changes nothing."""

    name: str
    chunks: int
    seconds: float
    again: float
    refining: float


@asynccontextmanager
async def ingested(
    knowledge: Knowledge, corpus: Corpus, *, refined: bool = False
) -> "AsyncIterator[Ingested]":
    """Ingest a corpus into a collection of its own for a while.

    Args:
        knowledge: the index.
        corpus: the articles.
        refined: whether what may come after an ingestion is waited for.
    """
    name = f"eval-{uuid4().hex[:12]}"
    times = [perf_counter()]
    report = await ingest(knowledge, corpus.folder, name)
    times.append(perf_counter())
    await ingest(knowledge, corpus.folder, name)
    times.append(perf_counter())
    if refined:
        await refine(knowledge, name)
    times.append(perf_counter())
    try:
        yield Ingested(name, report.chunks, *(after - before for before, after in pairwise(times)))
    finally:
        await delete_collection(knowledge, name)
