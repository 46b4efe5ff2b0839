"""The graph that servers load: nothing attached, they bring saver and store."""

from graph.builder import compile_graph

graph = compile_graph()
