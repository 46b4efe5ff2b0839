"""A folder of articles and the questions to it, as the suites of retrieval read them."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from evals.jsonl import DataError, rows
from evals.relevance import BUDGETS, LABEL, gold
from store.documents import Document, read_folder
from store.ingest import ingest
from store.knowledge import Knowledge, delete_collection
from store.refinement import refine
from store.settings import PROJECT

DATA = Path(__file__).parent / "data" / "retrieval.jsonl"
SAMPLE = PROJECT / "helpcenter"
FORM = {
    "id": str,
    "question": str,
    "kind": ("single", "multi", "unanswerable", "chitchat", "followup"),
    "corpus?": str,
    "lang?": tuple(BUDGETS),
    "gold?": [LABEL],
    "must_contain?": [str],
    "history?": [str | list],
    "standalone?": str,
}
ANSWERABLE = ("single", "multi", "followup")
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
        IngestError: there is no such folder.
    """
    lines, name = rows(data, split, FORM), folder.resolve().name
    questions = [line for line in lines if line.get("corpus", name) == name]
    if not questions:
        others = ", ".join(sorted({line["corpus"] for line in lines}))
        raise DataError(
            f"{data} holds no question to the corpus {name!r}, only to {others}. Name both with --corpus and --data; "
            "a question without a 'corpus' is asked of any."
        )
    corpus = Corpus(folder, articles(folder), questions)
    for question in questions:
        gold(question, corpus.bodies)
        if not all(map(_is_said, question.get("history") or [])):
            raise DataError(
                f"question {question['id']!r}: 'history' must hold texts, or pairs of role and text."
            )
    return corpus


def articles(folder: Path) -> list[Document]:
    """Return the articles of a folder that can be read.

    Raises:
        DataError: there is none.
        IngestError: there is no such folder.
    """
    found = [each for each in read_folder(folder) if isinstance(each, Document)]
    if not found:
        raise DataError(
            f"{folder} holds no article that can be read: `supportpilot ingest {folder}` says why."
        )
    return found


def _is_said(each: object) -> bool:
    texts = each if isinstance(each, list) and len(each) == len(("role", "text")) else [each]
    return all(isinstance(text, str) for text in texts)


def load_corpora(folder: Path, data: Path) -> tuple[list[Corpus], list[Path]]:
    """Read one corpus, or every corpus of a folder that holds ``NAME/`` beside ``NAME.questions.jsonl``.

    Args:
        folder: the articles, or the folder of several help centres.
        data: questions in JSON Lines, of which only the split ``test`` is asked if there is one; several help
            centres bring their own.

    Returns:
        The corpora, and the files of their questions.

    Raises:
        DataError: no question belongs to the folder, or one cannot be asked or judged.
    """
    files = sorted(folder.glob("*" + _QUESTIONS))
    corpora = [load_corpus(folder / file.name.removesuffix(_QUESTIONS), file) for file in files]
    if not files:
        whole = load_corpus(folder, data)
        kept = [line for line in whole.questions if line.get("split") == "test"]
        corpora, files = [replace(whole, questions=kept or whole.questions)], [data]
    for question in (question for corpus in corpora for question in corpus.questions):
        if question["kind"] in ANSWERABLE and not question.get("gold"):
            raise DataError(
                f"question {question['id']!r}: 'gold' names no section, so nobody can tell what is found. A question that the "
                "articles do not answer is of the kind 'unanswerable'."
            )
    return corpora, files


def tuning_corpora(corpus: Corpus) -> list[Corpus]:
    """Return the questions by which the search was tuned over the same articles, unless they are the ones asked."""
    try:
        tuned = load_corpus(corpus.folder, DATA, split="dev")
    except DataError:
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
async def ingested(knowledge: Knowledge, corpus: Corpus, *, refined: bool = False) -> AsyncIterator[Ingested]:
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
