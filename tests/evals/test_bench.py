import pytest

from evals.bench import bench
from graph.app import graph
from store.settings import settings
from tests.conftest import create_database


def test_the_benchmark_prints_every_node_and_its_share(
    server_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", create_database(server_url, "bench"))
    settings.cache_clear()
    bench(turns=3)
    settings.cache_clear()
    printed = capsys.readouterr().out
    nodes = set(graph.get_graph().nodes) - {"__start__", "__end__", "direct", "not_found"}
    assert all(name in printed for name in nodes)
    assert "100%" in printed
