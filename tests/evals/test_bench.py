import pytest

from evals.bench import bench
from graph.app import graph
from store.settings import settings
from tests.conftest import create_database

FIXED_WAY = ("prepare", "route", "recall", "retrieve", "call", "review", "finish")
"""The nodes of a turn that is answered from one retrieval."""


def test_the_benchmark_prints_every_node_and_its_share(
    server_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", create_database(server_url, "bench"))
    settings.cache_clear()
    bench(turns=3)
    settings.cache_clear()
    printed = capsys.readouterr().out
    assert set(graph.get_graph().nodes) >= set(FIXED_WAY)
    assert [name for name in FIXED_WAY if name not in printed] == []
    assert "100%" in printed
