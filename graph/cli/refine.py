"""``supportpilot refine``: what may come after an ingestion, in the background."""

from graph.cli.common import CollectionName, EmbeddingProgress, out, run
from graph.support import open_knowledge_only
from store.refinement import refine as refine_collections
from store.settings import settings


def refine(collection: CollectionName = "") -> None:
    """Embed passages by the slower model, all collections or one; answers get better as it goes.

    It can be broken off and goes on where it was. 1,000 passages take about five minutes of one core.
    """
    run(_refine(collection))


async def _refine(collection: str) -> None:
    async with open_knowledge_only(settings()) as opened:
        done = await refine_collections(opened.knowledge, collection, EmbeddingProgress())
    out.print(f"{done} passages refined.", markup=False)
