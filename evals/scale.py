"""The suite `scale`: what a long thread stores and how its turns slow down, beside bare graphs with the same log."""

from collections.abc import Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Annotated, Any, TypedDict, cast
from uuid import uuid4

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Checkpointer

from evals.intervals import metric
from evals.results import machine, result
from evals.suite import Options, Result
from graph.support import Support, config_of, open_support
from nodes.log import current_turn, merge_messages
from nodes.state import Context
from nodes.window.tokens import message_text

ABOUT = "what long threads store and cost in time, beside a bare graph with the same log channel"
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


STOCK, OURS = "bare_", "bare_ours_"
BARE = {STOCK: "bare two-node graph", OURS: "the same with our saver"}


class Bare(TypedDict, total=False):
    """The state of the bare graph: the log alone."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]


async def measure(options: Options) -> Result:
    """Lead one long thread; its questions are made here."""
    turns = FULL if options.full else TURNS
    rows, stored, said = await _rows(options, turns)
    metrics, baselines = figures(turns, rows, stored, said)
    return result(
        "scale",
        n=len(rows),
        dataset="made here",
        metrics=metrics,
        bounds=BOUNDS,
        baselines=baselines,
        rows=rows,
        model=options.settings.chat_model,
        machine=machine(),
    )


async def _rows(options: Options, turns: int) -> tuple[list[dict[str, Any]], dict[str, int], int]:
    """Return one row a compared turn, the bytes of both long threads, and those of what was said.

    Each of the last turns is asked on a young thread too, so that both meet the same load of the machine. After
    each turn of the real graph bare ones (two nodes, the same log channel and database) are given the messages of
    that turn: one on LangGraph's own saver, and one on ours, which keeps snapshots decoded.
    """
    rows: list[dict[str, Any]] = []
    async with open_support(options.settings.model_copy(update={"worker": False})) as support:
        old, young = _Threads(support), _Threads(support)
        for n in options.track(range(turns)):
            question = QUESTIONS[n % len(QUESTIONS)]
            last = await old.turn(question)
            if n >= turns - EDGE:
                first = await young.turn(question)
                times = {f"{name}first_ms": first[name] for name in first}
                times |= {f"{name}last_ms": last[name] for name in last}
                rows.append({"id": f"turn {n + 1}", **times})
        return rows, await old.stored(), await old.said()


def figures(
    turns: int, rows: Sequence[dict[str, Any]], stored: Mapping[str, int], said: int
) -> tuple[dict[str, Any], dict[str, dict[str, float]]]:
    """Return the metrics of a run of turns, and the same of the bare graphs.

    Args:
        turns: how many there were.
        rows: of each compared turn ``first_ms`` and ``last_ms``, and the same of each bare graph behind its name.
        stored: name of a graph, empty for the real one → bytes of its long thread in the database.
        said: bytes of the conversation itself.
    """
    growth, size = f"turns.growth_ms_{turns}", f"turns.bytes_{turns}"
    found = {name: {size: stored[name], **_growth(turns, rows, name)} for name in ("", *BARE)}
    metrics = found.pop("") | {f"turns.conversation_bytes_{turns}": said}
    metrics[f"turns.growth_over_bare_ms_{turns}"] = metrics[growth] - found[STOCK][growth]
    shown = {name: metric(value, len(rows)) for name, value in metrics.items()}
    return shown, {BARE[name]: values for name, values in found.items()}


def _growth(turns: int, rows: Sequence[dict[str, Any]], whose: str) -> dict[str, float]:
    first, last = (median(row[f"{whose}{end}_ms"] for row in rows) for end in ("first", "last"))
    return {
        f"turns.first_ms_{turns}": first,
        f"turns.last_ms_{turns}": last,
        f"turns.latency_ratio_{turns}": last / first,
        f"turns.growth_ms_{turns}": median(row[f"{whose}last_ms"] - row[f"{whose}first_ms"] for row in rows),
    }


class _Threads:
    """A thread of the real graph, and one of each bare graph that is given the same messages."""

    def __init__(self, support: Support) -> None:
        self.support = support
        self.ids = {name: str(uuid4()) for name in ("", *BARE)}
        stock = AsyncPostgresSaver(support.resources.pool)
        self.savers = {STOCK: stock, OURS: support.graph.checkpointer}

    async def turn(self, question: str) -> dict[str, float]:
        """Run one turn on all; return the milliseconds of each."""
        took, written = await _real(self.support, self.ids[""], question)
        bare = {name: await _bare(saver, self.ids[name], written) for name, saver in self.savers.items()}
        return {"": took, **bare}

    async def stored(self) -> dict[str, int]:
        """Return the bytes of each in the database."""
        return {name: await _bytes(self.support, thread) for name, thread in self.ids.items()}

    async def said(self) -> int:
        """Return the bytes of the conversation itself."""
        log = (await self.support.state(self.ids[""]))["messages"]
        return sum(len(message_text(message).encode()) for message in log)


async def _real(support: Support, thread: str, question: str) -> tuple[float, list[BaseMessage]]:
    """Run one turn as a user has it; return its milliseconds beside tools and model, and the messages that it wrote."""
    began = perf_counter()
    reply = await support.ask(question, thread=thread, context=Context(budget=_BUDGET))
    took = (perf_counter() - began) * 1_000
    values = await support.state(thread)
    turn = sum(isinstance(message, HumanMessage) for message in values["messages"])
    asked = sum(call["latency_ms"] for call in values["calls"] if call["turn"] == turn)
    return took - asked - sum(step.ms for step in reply.steps), current_turn(values["messages"])


async def _bare(saver: Checkpointer, thread: str, written: Sequence[BaseMessage]) -> float:
    """Have a bare graph write the messages of a turn: the question, then the calls, then the answer."""

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
    compiled = graph.compile(checkpointer=saver)
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
