"""Rows of the suite `scale` for turns: what a long thread stores and how its turns slow down, beside a bare graph."""

from collections.abc import Sequence
from statistics import median
from time import perf_counter
from typing import Annotated, Any, TypedDict, cast
from uuid import uuid4

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import END, START, StateGraph

from evals.intervals import metric
from evals.suite import Options
from graph.support import Support, config_of, open_support
from nodes.log import current_turn, merge_messages
from nodes.state import Context
from nodes.window.tokens import message_text
from store.resources import using

TURNS, FULL, EDGE = 200, 1_000, 20
"""Turns of a run, of a full run, and how many at either end are compared."""
BOUNDS = {
    "turns.bytes_200": ("<=", 5_000_000),
    "turns.growth_over_bare_ms_200": ("<=", 0.0),
}
QUESTIONS = (
    "年付套餐买错了能退款吗", "发票抬头写错了怎么改", "外币的账怎么记", "如何导入招商银行流水", "怎么升级套餐",
    "怎么添加成员", "How many ledgers does the free plan have?", "忘记密码怎么办", "谢谢", "E1043 怎么办",
)  # fmt: skip
_BUDGET = {"window": 34_000, "reserve": 2_000, "high": 20_000, "low": 3_300}
"""A window whose plan moves every twenty turns or so: moves are part of what is measured."""
_STORED = """
SELECT (SELECT coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0) FROM checkpoints
        WHERE thread_id = %(thread)s)
     + (SELECT coalesce(sum(pg_column_size(blob)), 0) FROM checkpoint_blobs WHERE thread_id = %(thread)s)
     + (SELECT coalesce(sum(pg_column_size(blob)), 0) FROM checkpoint_writes WHERE thread_id = %(thread)s) AS bytes
"""


class Bare(TypedDict, total=False):
    """The state of the bare graph: the log alone."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]


async def turn_rows(options: Options) -> tuple[dict[str, Any], dict[str, float], list[dict[str, Any]]]:
    """Lead one long thread, and return metrics, the bare graph's figures and one row a turn.

    After each turn of the real graph, a bare one (two nodes, the same log channel, saver and database) is given
    the messages of that turn, so that both meet the same load of the machine.
    """
    turns = FULL if options.full else TURNS
    rows = []
    async with open_support(options.settings.model_copy(update={"worker": False})) as support:
        thread, bare = str(uuid4()), str(uuid4())
        for n in options.track(range(turns)):
            ours, written = await _real(support, thread, QUESTIONS[n % len(QUESTIONS)])
            theirs = await _bare(support, bare, written)
            rows.append({"id": f"turn {n + 1}", "ms": ours, "bare_ms": theirs})
        log = (await support.state(thread))["messages"]
        stored = [await _bytes(support, each) for each in (thread, bare)]
        for each in (thread, bare):
            await _saver(support).adelete_thread(each)
    said = sum(len(message_text(message).encode()) for message in log)
    return *figures(turns, rows, stored, said), rows


def figures(
    turns: int, rows: Sequence[dict[str, Any]], stored: Sequence[int], said: int
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the metrics of a run of turns, and the same of the bare graph.

    Args:
        turns: how many there were.
        rows: ``ms`` and ``bare_ms`` of each, the oldest first.
        stored: bytes of the two threads in the database, the real one's first.
        said: bytes of the conversation itself.
    """
    first, last = rows[:EDGE], rows[-EDGE:]
    begin, end = (
        {key: median(row[key] for row in part) for key in ("ms", "bare_ms")} for part in (first, last)
    )
    growth, bare_growth = end["ms"] - begin["ms"], end["bare_ms"] - begin["bare_ms"]
    metrics = {
        f"turns.bytes_{turns}": stored[0],
        f"turns.conversation_bytes_{turns}": said,
        f"turns.first_ms_{turns}": begin["ms"],
        f"turns.last_ms_{turns}": end["ms"],
        f"turns.latency_ratio_{turns}": end["ms"] / begin["ms"],
        f"turns.growth_ms_{turns}": growth,
        f"turns.growth_over_bare_ms_{turns}": growth - bare_growth,
    }
    bare = {
        f"turns.bytes_{turns}": stored[1],
        f"turns.first_ms_{turns}": begin["bare_ms"],
        f"turns.last_ms_{turns}": end["bare_ms"],
        f"turns.latency_ratio_{turns}": end["bare_ms"] / begin["bare_ms"],
        f"turns.growth_ms_{turns}": bare_growth,
    }
    return {name: metric(value, turns) for name, value in metrics.items()}, bare


async def _real(support: Support, thread: str, question: str) -> tuple[float, list[BaseMessage]]:
    """Run one turn; return its milliseconds beside search and model, and the messages that it wrote."""
    asked = HumanMessage(question, id=str(uuid4()))
    run = support.graph.astream(
        {"messages": [asked]},
        config_of(thread),
        context=Context(budget=_BUDGET),
        stream_mode="tasks",
        durability="sync",
    )
    began, searched, started = perf_counter(), 0.0, dict[str, float]()
    async for told in using(support.resources, run):
        task = cast("dict[str, Any]", told)
        if task["name"] == "retrieve" and "input" in task:
            started[task["id"]] = perf_counter()
        elif task["name"] == "retrieve":
            searched += perf_counter() - started[task["id"]]
    took = (perf_counter() - began - searched) * 1_000
    values = await support.state(thread)
    return took - values["calls"][-1]["latency_ms"], current_turn(values["messages"])


async def _bare(support: Support, thread: str, written: Sequence[BaseMessage]) -> float:
    """Have the bare graph write the messages of a turn: the question, then the calls, then the answer."""

    async def look_up(state: Bare) -> dict[str, Any]:  # noqa: ARG001  # a node's signature
        return {"messages": written[1:-1]}

    async def answer(state: Bare) -> dict[str, Any]:  # noqa: ARG001  # a node's signature
        return {"messages": written[-1:]}

    graph = StateGraph(Bare)
    graph.add_node("look_up", look_up)
    graph.add_node("answer", answer)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "answer")
    graph.add_edge("answer", END)
    compiled = graph.compile(checkpointer=_saver(support))
    began = perf_counter()
    async for _ in compiled.astream(
        cast("Bare", {"messages": list(written[:1])}),
        config_of(thread),
        stream_mode="tasks",
        durability="sync",
    ):
        pass
    return (perf_counter() - began) * 1_000


async def _bytes(support: Support, thread: str) -> int:
    async with support.resources.pool.connection() as connection:
        row = await (await connection.execute(_STORED, {"thread": thread})).fetchone()
    return int(row["bytes"]) if row else 0


def _saver(support: Support) -> Any:
    return support.graph.checkpointer
