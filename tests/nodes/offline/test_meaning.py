from collections.abc import Sequence

import pytest

from nodes.offline import OfflineChatModel
from nodes.offline.meaning import nearness
from store.embedding import BundledEmbedder
from tests.nodes.offline.conversation import Passages, turn

REFUND: Passages = (
    (
        "kb-1#1",
        "退款政策",
        "年付套餐按剩余整月退款。\n\n月付套餐中途不能退款。\n\n发票会发送到邮箱。\n\n数据每天备份一次。",
    ),
)


class Angles:
    """An embedder of two dimensions: the text names the vector."""

    name = "angles"

    async def dimensions(self) -> int:
        return 2

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(part) for part in text.split(",")] for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return (await self.embed_documents([text]))[0]


async def test_nearness_is_the_cosine_whatever_the_length() -> None:
    near = await nearness(["2,0", "0,3", "1,1", "0,0"], Angles())
    assert near("2,0", "2,0") == pytest.approx(1)
    assert near("2,0", "0,3") == pytest.approx(0)
    assert near("2,0", "1,1") == pytest.approx(0.5**0.5)
    assert near("2,0", "0,0") == 0


async def test_nothing_is_near_without_an_embedder_or_for_a_text_it_has_not_seen() -> None:
    assert (await nearness(["a"], None))("a", "a") == 0
    assert (await nearness(["1,0"], Angles()))("1,0", "never seen") == 0


async def test_meaning_finds_the_sentence_across_languages() -> None:
    model = OfflineChatModel(embedder=BundledEmbedder())
    answer = (await model.ainvoke(turn("Can I get a refund on a monthly plan?", REFUND))).text
    assert answer.splitlines()[1] == '- "月付套餐中途不能退款。" [kb-1#1]'


def test_the_synchronous_answer_is_the_same() -> None:
    model = OfflineChatModel(embedder=BundledEmbedder())
    messages = turn("月付能退款吗", REFUND)
    assert model.invoke(messages).text == "".join(piece.text for piece in model.stream(messages))
