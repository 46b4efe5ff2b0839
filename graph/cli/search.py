"""``supportpilot search``: what the index finds, without an answer."""

from dataclasses import asdict
from typing import Annotated

import typer

from graph.cli.common import AsJson, CollectionName, EmbeddingProgress, out, print_json, run
from graph.support import open_knowledge_only
from store.sample import collection_in_use, ensure_sample
from store.search import DEFAULT_MODE, MODES, Mode
from store.search import search as search_collection
from store.settings import settings


def search(
    text: Annotated[str, typer.Argument(help="What to search for.")],
    mode: Annotated[str, typer.Option("--mode", help=f"How: {', '.join(MODES)}.")] = DEFAULT_MODE,
    collection: CollectionName = "",
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="Most passages.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Print the passages that a question finds, best first."""
    if mode not in MODES:
        raise typer.BadParameter(f"{mode!r} is none of {', '.join(MODES)}.", param_hint="--mode")
    run(_search(text, mode, collection, k, as_json), as_json)


async def _search(text: str, mode: Mode, collection: str, k: int, as_json: bool) -> None:
    configured = settings()
    async with open_knowledge_only(configured) as opened:
        await ensure_sample(opened.knowledge, EmbeddingProgress())
        used = await collection_in_use(opened.knowledge, configured, collection)
        passages = await search_collection(opened.knowledge, text, collection=used, mode=mode, k=k)
    if as_json:
        listed = {"collection": used, "mode": mode, "passages": [asdict(passage) for passage in passages]}
        print_json(listed)
        return
    for passage in passages:
        out.print(f"[{passage.id}] {passage.section}", style="cyan", markup=False)
        out.print(f"score {passage.score:.3f} · confidence {passage.confidence:.2f}", style="dim")
        out.print(passage.text, markup=False, end="\n\n")
    if not passages:
        out.print(f"Nothing found in {used!r}.", markup=False)
