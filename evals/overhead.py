"""What the graph itself costs: a fixed turn, beside LangChain's plain agent with one tool.

Both have the same model, the same passages, the same saver and the same Postgres, and every step of theirs is in the
database before the next begins. Neither thinks nor searches; their turns alternate.
"""

from collections.abc import Awaitable, Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool

from evals.at_once import QUESTION, at_once
from graph.support import Support, config_of
from nodes.passages import encode
from nodes.state import Context
from store.resources import using

_WARM = 5
Turn = Callable[[str], Awaitable[None]]


async def overhead(support: Support, turns: int) -> dict[str, float]:
    """Measure fixed turns on new threads.

    Returns:
        Median milliseconds of a turn: of our graph for nobody in particular (``graph_ms``), for a user who is known,
        whose memories are looked at (``known_ms``), of the plain agent (``agent_ms``), and the first over the last.
        The same of this process's processor (``…_cpu_ms``, ``cpu_ratio``), which a busy machine changes less.
    """
    async with at_once(support) as (model, found):

        @tool
        async def search_kb(query: str) -> str:
            """Search the help centre."""
            return encode(found, query)

        agent: Any = create_agent(model, [search_kb], checkpointer=support.graph.checkpointer)
        took = await _medians(
            {
                "graph": lambda thread: fixed_turn(support, thread),
                "known": lambda thread: fixed_turn(support, thread, Context(user_id="bench")),
                "agent": lambda thread: _agent_turn(agent, thread),
            },
            turns,
        )
    figures = {f"{name}_ms": round(ms, 1) for name, (ms, _) in took.items()}
    figures |= {f"{name}_cpu_ms": round(ms, 1) for name, (_, ms) in took.items()}
    ratio, cpu_ratio = (ours / plain for ours, plain in zip(took["graph"], took["agent"], strict=True))
    return {**figures, "ratio": round(ratio, 2), "cpu_ratio": round(cpu_ratio, 2)}


async def fixed_turn(
    support: Support, thread: str, context: Context | None = None, question: str = QUESTION
) -> None:
    """Run one turn of the graph.

    Raises:
        RuntimeError: it was not answered on the fixed way, so it is not what is to be measured.
    """
    run = support.graph.astream(
        {"messages": [HumanMessage(question)]},
        config_of(thread),
        context=context or Context(),
        stream_mode="values",
        durability="sync",
    )
    last: Any = None
    async for values in using(support.resources, run):
        last = values
    if last["decision"]["route"] != "fixed" or not last["review"]["answered"]:
        raise RuntimeError(f"The turn went another way: {last['decision']}.")


async def _agent_turn(agent: Any, thread: str) -> None:
    await agent.ainvoke({"messages": [HumanMessage(QUESTION)]}, config_of(thread), durability="sync")


async def _medians(kinds: dict[str, Turn], turns: int) -> dict[str, tuple[float, float]]:
    """Return the median milliseconds of each kind of turn, and those of this process's processor."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for n in range(_WARM + turns):
        for name, turn in kinds.items():
            began, worked = perf_counter(), process_time()
            await turn(str(uuid4()))
            if n >= _WARM:
                times[name].append((perf_counter() - began, process_time() - worked))
    return {
        name: (median(wall for wall, _ in some) * 1000, median(cpu for _, cpu in some) * 1000)
        for name, some in times.items()
    }
