"""The one place where the graph is wired: what runs after what."""

from typing import Literal

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer

from nodes.approve import approve, calls_to_approve
from nodes.call import call
from nodes.direct import ask_back, not_found
from nodes.events import telling
from nodes.finish import finish, is_gap
from nodes.hand_over import hand_over
from nodes.held import held
from nodes.identity import asker, is_known, owner
from nodes.log import current_turn, dialogue
from nodes.loop import MAX_STEPS, calls_tools, fruitless
from nodes.person import wants_person
from nodes.pipeline import clear, compact, must_move, trim
from nodes.prepare import prepare
from nodes.recall import recall
from nodes.remember import concerns_memory, remember
from nodes.retrieve import retrieve
from nodes.review import review
from nodes.routing import SEVERAL, route
from nodes.smalltalk import is_mere_talk
from nodes.state import Context, Incoming, State
from nodes.tools.bound import tools
from nodes.tools.hand_over import HAND_OVER_TOOL
from nodes.tools.node import run_tools
from nodes.tools.run import open_calls

RECURSION_LIMIT = 40
"""Steps of one run before LangGraph stops it; its own default is ten thousand."""

Graph = CompiledStateGraph[State, Context, Incoming, State]
ToCall = Literal["clear", "call"]
ToEnd = Literal["finish", "__end__"]


def build() -> StateGraph[State, Context, Incoming, State]:
    """Wire the nodes."""
    graph = StateGraph(State, context_schema=Context, input_schema=Incoming)
    graph.add_node("prepare", prepare)
    graph.add_node("remember", telling(remember))
    graph.add_node("route", telling(route))
    graph.add_node("recall", recall)
    graph.add_node("retrieve", telling(retrieve))
    graph.add_node("clear", clear)
    graph.add_node("trim", trim)
    graph.add_node("compact", compact)
    graph.add_node("call", telling(call))
    graph.add_node("approve", telling(approve))
    graph.add_node("tools", telling(run_tools))
    graph.add_node("review", telling(review))
    graph.add_node("ask_back", telling(ask_back))
    graph.add_node("not_found", telling(not_found))
    graph.add_node("hand_over", telling(hand_over))
    graph.add_node("held", telling(held))
    graph.add_node("finish", finish)

    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", after_prepare, ["held", "hand_over", "remember", "route"])
    graph.add_conditional_edges("remember", after_remember, ["route", "finish", END])
    graph.add_conditional_edges("route", after_route, ["ask_back", "recall", "retrieve", "clear", "call"])
    graph.add_conditional_edges("recall", after_recall, ["retrieve", "clear", "call"])
    graph.add_conditional_edges("retrieve", to_call, ["clear", "call"])

    graph.add_edge("clear", "trim")  # the window's pipeline, before every call that it is due for
    graph.add_edge("trim", "compact")
    graph.add_edge("compact", "call")
    graph.add_conditional_edges(
        "call", after_call, ["approve", "tools", "hand_over", "review", "finish", END]
    )
    graph.add_conditional_edges("approve", after_approve, ["approve", "tools", "clear", "call"])
    graph.add_conditional_edges("tools", after_tools, ["hand_over", "not_found", "clear", "call"])

    for last in ("ask_back", "not_found", "held", "hand_over", "review"):
        graph.add_conditional_edges(last, to_end, ["finish", END])
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


def after_prepare(
    state: State, runtime: Runtime[Context]
) -> Literal["held", "hand_over", "remember", "route"]:
    """Keep silent while a person has the conversation; pass it on to one when the user asks for that.

    The memory's node is passed by where it has nothing to do: a step costs a checkpoint.
    """
    if state["ticket"] is not None:
        return "held"
    said, question = dialogue(state["messages"]), current_turn(state["messages"])[0].text
    before = said[-1].text if said and isinstance(said[-1], AIMessage) else ""
    if wants_person(question, before):
        return "hand_over"
    return "remember" if is_known(owner(runtime)) or concerns_memory(state["messages"]) else "route"


def to_end(state: State, runtime: Runtime[Context]) -> ToEnd:
    """End the turn, by its last node where that has something to do."""
    return "finish" if is_known(asker(state, runtime)) or is_gap(state) else "__end__"


async def to_call(state: State, runtime: Runtime[Context]) -> ToCall:
    """Go straight to the call, unless the window is full and its plan has to move first."""
    return "clear" if await must_move(state, runtime) else "call"


def after_remember(state: State, runtime: Runtime[Context]) -> ToEnd | Literal["route"]:
    """End a turn in which the memory itself answered."""
    return to_end(state, runtime) if isinstance(state["messages"][-1], AIMessage) else "route"


async def after_route(
    state: State, runtime: Runtime[Context]
) -> ToCall | Literal["ask_back", "recall", "retrieve"]:
    """Follow the decision that was made from what the message is."""
    if state["decision"]["route"] != "direct":
        return "recall" if is_known(owner(runtime)) else await after_recall(state, runtime)
    return await to_call(state, runtime) if state["decision"]["answerable"] else "ask_back"


async def after_recall(state: State, runtime: Runtime[Context]) -> ToCall | Literal["retrieve"]:
    """Retrieve for the model where it is plain what to search for, or let it look things up itself."""
    decision = state["decision"]
    plain = decision["route"] == "fixed" or decision["reason"] == SEVERAL
    return "retrieve" if plain else await to_call(state, runtime)


async def after_call(
    state: State, runtime: Runtime[Context]
) -> ToEnd | Literal["approve", "tools", "hand_over", "review"]:
    """Run the tools that the model called, up to the cap of steps; check an answer, small talk only if it needs it."""
    log = state["messages"]
    if calls_tools(log[-1]):
        return await to_tools(state, runtime) if state["steps"] < MAX_STEPS else "hand_over"
    direct = state["decision"]["route"] == "direct"
    mere = direct and is_mere_talk(log[-1].text, current_turn(log)[0].text)
    return to_end(state, runtime) if mere else "review"


async def after_tools(state: State, runtime: Runtime[Context]) -> ToCall | Literal["hand_over", "not_found"]:
    """Pass the conversation on if the model did; end a turn that has searched twice for nothing; else go on."""
    passed_on = any(
        isinstance(m, ToolMessage) and m.name == HAND_OVER_TOOL and m.status == "success"
        for m in current_turn(state["messages"])
    )
    if passed_on:
        return "hand_over"
    return "not_found" if fruitless(state["messages"]) else await to_call(state, runtime)


async def to_tools(state: State, runtime: Runtime[Context]) -> Literal["approve", "tools"]:
    """Let a person decide first, where a call needs it."""
    return "approve" if calls_to_approve(state["messages"], await tools(state, runtime))[1] else "tools"


async def after_approve(state: State, runtime: Runtime[Context]) -> ToCall | Literal["approve", "tools"]:
    """Ask again as long as nobody who may has decided; then run the calls that needed no decision."""
    if open_calls(state["messages"])[1]:
        return await to_tools(state, runtime)
    return await to_call(state, runtime)
