"""A folder of articles and the questions to it, as the suites of retrieval read them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from store.documents import Document, read_folder
from store.ingest import ingest
from store.knowledge import Knowledge, delete_collection
from store.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DATA = Path(__file__).parent / "data" / "retrieval.jsonl"
SAMPLE = PROJECT / "helpcenter"


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


def load_corpus(folder: Path = SAMPLE, data: Path = DATA) -> Corpus:
    """Read a corpus.

    Args:
        folder: the articles.
        data: questions in JSON Lines; those that name another corpus are left out.

    Raises:
        ValueError: no question belongs to the folder.
    """
    lines = [json.loads(line) for line in data.read_text("utf-8").splitlines() if line.strip()]
    questions = [line for line in lines if line.get("corpus", folder.name) == folder.name]
    if not questions:
        raise ValueError(
            f"{data} holds no question to the corpus {folder.name!r}. Name both with --corpus and --data."
        )
    return Corpus(folder, [each for each in read_folder(folder) if isinstance(each, Document)], questions)


@asynccontextmanager
async def ingested(knowledge: Knowledge, corpus: Corpus) -> "AsyncIterator[str]":
    """Ingest a corpus into a collection of its own for a while, and yield the collection's name."""
    name = f"eval-{uuid4().hex[:12]}"
    await ingest(knowledge, corpus.folder, name)
    try:
        yield name
    finally:
        await delete_collection(knowledge, name)
