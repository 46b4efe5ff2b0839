"""The one place where the graph is wired: what runs after what."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer

from nodes.answer import answer
from nodes.direct import direct, not_found
from nodes.finish import finish
from nodes.prepare import prepare
from nodes.retrieve import retrieve
from nodes.review import review
from nodes.routing import route
from nodes.state import Context, State

RECURSION_LIMIT = 40
"""Steps of one run before LangGraph stops it; its own default is ten thousand."""

Graph = CompiledStateGraph[State, Context, State, State]


def build() -> StateGraph[State, Context, State, State]:
    """Wire the nodes."""
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("prepare", prepare)
    graph.add_node("route", route)
    graph.add_node("direct", direct)
    graph.add_node("retrieve", retrieve)
    graph.add_node("answer", answer)
    graph.add_node("not_found", not_found)
    graph.add_node("review", review)
    graph.add_node("finish", finish)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "route")
    graph.add_conditional_edges("route", after_route, ["direct", "retrieve"])
    graph.add_conditional_edges("retrieve", after_retrieve, ["answer", "not_found"])
    graph.add_edge("answer", "review")
    for last in ("direct", "not_found", "review"):
        graph.add_edge(last, "finish")
    graph.add_edge("finish", END)
    return graph


def compile_graph(*, checkpointer: Checkpointer = None, store: BaseStore | None = None) -> Graph:
    """Compile the graph.

    Args:
        checkpointer: keeps the threads; none where a server brings its own.
        store: keeps the memories; likewise.
    """
    compiled = build().compile(checkpointer=checkpointer, store=store, name="support")
    return compiled.with_config(recursion_limit=RECURSION_LIMIT)


def after_route(state: State) -> Literal["direct", "retrieve"]:
    """Follow the decision that was made from what the message is."""
    return "direct" if state["decision"]["route"] == "direct" else "retrieve"


def after_retrieve(state: State) -> Literal["answer", "not_found"]:
    """Answer only from passages that are good enough."""
    return "answer" if state["decision"]["answerable"] else "not_found"
