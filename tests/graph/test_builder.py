import re
from itertools import pairwise, product
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

import evals
import graph
import nodes
import store
from graph.builder import compile_graph

_ROOT = Path(__file__).parents[2]


def test_the_drawing_of_the_graph_is_reviewed(snapshot: SnapshotAssertion) -> None:
    assert compile_graph().get_graph().draw_mermaid() == snapshot


def edges_drawn(page: str) -> set[tuple[str, str]]:
    """Return the edges of a page's Mermaid drawing, with ``A & B --> C --> D`` taken apart."""
    drawing = page.partition("```mermaid\n")[2].partition("```")[0]
    chains = [
        [node.split(" & ") for node in re.split(" -(?:-|\\.-)> ", line)] for line in drawing.splitlines()
    ]
    return {
        pair for chain in chains for sources, targets in pairwise(chain) for pair in product(sources, targets)
    }


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_readmes_show_the_graph_as_it_is(readme: str) -> None:
    ends = {"__start__": "START", "__end__": "END"}
    expected = {
        (ends.get(edge.source, edge.source), ends.get(edge.target, edge.target))
        for edge in compile_graph().get_graph().edges
    }
    assert edges_drawn((_ROOT / readme).read_text("utf-8")) == expected


def test_the_packages_are_those_of_this_checkout_not_namesakes_from_the_registry() -> None:
    for package in (evals, graph, nodes, store):
        assert package.__file__ is not None
        assert Path(package.__file__).is_relative_to(_ROOT)
