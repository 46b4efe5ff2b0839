from pathlib import Path

from syrupy.assertion import SnapshotAssertion

import evals
import graph
import nodes
import store
from graph.builder import compile_graph

_ROOT = Path(__file__).parents[2]


def test_the_drawing_of_the_graph_is_reviewed(snapshot: SnapshotAssertion) -> None:
    assert compile_graph().get_graph().draw_mermaid() == snapshot


def test_the_readmes_show_the_graph_as_it_is() -> None:
    drawing = compile_graph().get_graph().draw_mermaid()
    edges = [line.strip() for line in drawing.splitlines() if "->" in line]
    expected = "\n".join(edges).replace("__start__", "START").replace("__end__", "END")
    for readme in ("README.md", "README.zh-CN.md"):
        assert expected in (_ROOT / readme).read_text("utf-8")


def test_the_packages_are_those_of_this_checkout_not_namesakes_from_the_registry() -> None:
    for package in (evals, graph, nodes, store):
        assert package.__file__ is not None
        assert Path(package.__file__).is_relative_to(_ROOT)
