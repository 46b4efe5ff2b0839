"""``supportpilot ingest``: a folder of articles becomes a collection."""

from pathlib import Path
from typing import Annotated

import typer

from graph.cli.common import EmbeddingProgress, err, out, run
from graph.support import open_knowledge_only
from store.changes import IngestReport
from store.ingest import ingest as ingest_folder
from store.settings import settings

SOME_REFUSED = 3
"""Exit code when some files cannot be read; 1 and 2 say that the command failed or was not understood."""


def ingest(
    folder: Annotated[Path, typer.Argument(help="Folder of Markdown articles, searched at any depth.")],
    collection: Annotated[
        str | None, typer.Option("--collection", help="Collection to fill; default: the setting's.")
    ] = None,
    reindex: Annotated[
        bool, typer.Option("--reindex", help="Build the collection anew, for example for another embedder.")
    ] = False,
) -> None:
    """Make a collection mirror a folder; what is unchanged costs nothing.

    Exit code 3 when files cannot be read and the rest was ingested, 1 when nothing was. A file without an article
    (empty, a draft) is named and no fault.
    """
    run(_ingest(folder, collection, reindex))


async def _ingest(folder: Path, collection: str | None, reindex: bool) -> None:
    configured = settings()
    async with open_knowledge_only(configured) as opened:
        report = await ingest_folder(
            opened.knowledge,
            folder,
            configured.collection if collection is None else collection,
            reindex=reindex,
            progress=EmbeddingProgress(),
        )
    _print(report)
    if report.refused:
        raise typer.Exit(SOME_REFUSED)


def _print(report: IngestReport) -> None:
    for path, reason in report.skipped.items():
        err.print(f"skipped {path}: {reason}", style="dim", markup=False)
    for path, reason in report.refused.items():
        err.print(f"refused {path}: {reason}", style="red", markup=False)
    for path, warnings in report.warnings.items():
        err.print(f"warning {path}: {'; '.join(warnings)}", style="yellow", markup=False)
    counts = ("added", "changed", "unchanged", "removed", "skipped", "refused")
    summary = ", ".join(f"{len(getattr(report, count))} {count}" for count in counts)
    out.print(f"Collection {report.collection!r}: {summary}; {report.chunks} chunks embedded.", markup=False)
    if report.chunks:
        out.print("Better answers for some CPU time, whenever it suits: supportpilot refine", markup=False)
