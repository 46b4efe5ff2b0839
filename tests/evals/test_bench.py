import json
from uuid import uuid4

import pytest
import typer
from typer.testing import CliRunner

from evals.bench import BOUNDS, PARTS, bench
from evals.overhead import fixed_turn
from graph.app import graph
from graph.support import open_support
from store.settings import load_settings, settings
from tests.conftest import create_database

FIXED_WAY = ("prepare", "route", "retrieve", "call", "review")
"""The nodes of a turn that is answered from one retrieval, for nobody in particular."""


@pytest.fixture
def own_database(server_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    url = create_database(server_url, f"bench-{uuid4().hex[:8]}")
    monkeypatch.setenv("DATABASE_URL", url)
    settings.cache_clear()
    return url


@pytest.mark.usefixtures("own_database")
def test_the_benchmark_gives_every_figure_that_has_a_bound_and_every_node() -> None:
    app = typer.Typer()
    app.command()(bench)
    done = CliRunner().invoke(app, ["--turns", "3", "--threads", "4", "--long", "20"])
    settings.cache_clear()
    report = json.loads(done.stdout)
    assert done.exit_code == bool(report["broken"]), done.output
    figures = report["figures"]
    assert {*BOUNDS} <= {*figures}
    assert {name.split(".")[0] for name in figures} == {*PARTS}
    assert set(graph.get_graph().nodes) >= set(FIXED_WAY)
    assert [name for name in FIXED_WAY if f"nodes.{name}_ms" not in figures] == []
    assert figures["overhead.graph_ms"] / figures["overhead.agent_ms"] == pytest.approx(
        figures["overhead.ratio"], rel=0.05
    )
    assert figures["memory.turns"] == 20


async def test_a_turn_that_goes_another_way_is_not_measured(own_database: str) -> None:
    async with open_support(load_settings(database_url=own_database, worker=False)) as support:
        with pytest.raises(RuntimeError, match="another way"):
            await fixed_turn(support, "0d0a4a5f-3c1c-4f3e-8a59-6f4b6f2a9d51", question="谢谢")
