from collections.abc import Sequence

from nodes.citations import Similarity, supports
from nodes.citations.embedded import by_embedding
from store.embedding import Vector
from store.errors import RetrievalError

PASSAGE = "Rental terms > Deposits\nDeposits are returned within 5 working days. Helmets are not included."
SENTENCE = "You get your money back in a week at the latest."


class _Axes:
    """Puts what speaks of money or deposits on one axis, everything else on another; counts the calls."""

    name = "axes"

    def __init__(self, *, down: bool = False) -> None:
        self.calls = 0
        self._down = down

    async def dimensions(self) -> int:
        return 2

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        if self._down:
            raise RetrievalError("out of reach")
        return [[3.0, 0.0] if "money" in t or "eposit" in t else [0.0, 2.0] for t in texts]

    async def embed_query(self, text: str) -> Vector:
        return (await self.embed_documents([text]))[0]


def _check(similarity: Similarity | None) -> bool:
    return supports(SENTENCE, PASSAGE, similarity=similarity).supported


async def test_meanings_are_compared_with_one_call_of_the_embedder() -> None:
    embedder = _Axes()
    assert await by_embedding(_check, embedder)
    assert embedder.calls == 1


async def test_with_the_embedder_out_of_reach_words_alone_count() -> None:
    assert not await by_embedding(_check, _Axes(down=True))
