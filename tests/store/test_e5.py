"""What the slower embedder gives its engine, held with an engine that keeps what it is given."""

from typing import Any

import numpy as np
import pytest

from store import e5
from store.e5 import LONGEST_QUESTION, E5Embedder
from store.embedding import LONGEST_TEXT
from store.splitting import PIECE_WIDTH
from store.text import width


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    texts: list[str] = []

    class Engine:
        def encode(self, text: str, *, is_query: bool) -> Any:  # noqa: ARG002 - as the engine has it
            texts.append(text)
            return np.zeros(384)

    monkeypatch.setattr(e5, "_engine", lambda _: Engine())
    return texts


@pytest.mark.parametrize("letter", ["退", "x", "年付能退吗？"])
async def test_the_engine_reads_the_head_of_an_over_long_text(given: list[str], letter: str) -> None:
    text = (letter * 20_000)[:20_000]
    await E5Embedder().embed_query(text)
    await E5Embedder().embed_documents([text])
    assert all(text.startswith(each) for each in given)
    assert LONGEST_QUESTION - 3 < width(given[0]) <= LONGEST_QUESTION
    assert LONGEST_TEXT - 3 < width(given[1]) <= LONGEST_TEXT


async def test_a_piece_with_headings_of_a_third_of_it_is_read_whole(given: list[str]) -> None:
    piece = "退" * int(PIECE_WIDTH / 2.5 * 4 / 3)
    await E5Embedder().embed_documents([piece])
    assert given == [piece]
