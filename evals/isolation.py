"""The suite `isolation`: a task of several points by the sub-agent, beside the same task in the main loop."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from evals.answers import DATA
from evals.corpora import ingested, load_corpus
from evals.intervals import average
from evals.relevance import contains
from evals.results import result, versioned
from evals.suite import Options, Result
from evals.turns import forced
from graph.support import Support, open_support
from nodes.log import current_turn
from nodes.passages import RESEARCH_TOOL
from nodes.research import concluded, encoded, work
from nodes.state import Context, Usage
from nodes.tools.knowledge import read_article, search_kb
from nodes.tools.turn import Turn
from nodes.window.tokens import message_tokens
from store.threads import Owner

ABOUT = "main-context tokens that the sub-agent saves, what it costs in all, and what becomes of the facts"
BOUNDS = {"main_tokens_saved": (">=", 0.5)}
HOW = (
    "a task is a double question of the data, or three single ones in a row.",
    "main_tokens_saved: 1 - (call and conclusion / calls and results of the main loop), in the main window.",
    "total_tokens_ratio: what the sub-agent's model read and wrote, call and conclusion too, against the main loop's.",
    "quality_difference: share of the required facts in the conclusion less their share in the main loop's answer.",
)
JOINED = 3


async def measure(options: Options) -> Result:
    """Run the suite on the questions to the corpus that a run names."""
    data = options.data or DATA
    corpus = load_corpus(options.corpus, data)
    async with (
        open_support(options.settings.model_copy(update={"worker": False})) as support,
        ingested(support.resources.knowledge, corpus) as collection,
    ):
        cases = options.some(list(tasks(corpus.questions)))
        rows = [await _row(support, collection.name, task, facts) for task, facts in options.track(cases)]
    metrics = {
        name: average([row[name] for row in rows])
        for name in ("main_tokens_saved", "total_tokens_ratio", "quality_difference", "facts", "loop_facts")
    }
    return result(
        "isolation",
        n=len(rows),
        dataset=versioned(data),
        metrics=metrics,
        bounds=BOUNDS,
        baselines={"main loop": {"facts": metrics["loop_facts"]["value"], "total_tokens_ratio": 1.0}},
        rows=rows,
        model=options.settings.chat_model,
        embedding=support.resources.knowledge.embedder.name,
        how=HOW,
    )


def tasks(questions: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """Yield tasks of several points, each with the facts that it asks for."""
    yield from ((q["question"], q.get("must_contain") or []) for q in questions if q["kind"] == "multi")
    single = [q for q in questions if q["kind"] == "single"]
    for place in range(len(single) - JOINED + 1):
        part = single[place : place + JOINED]
        text = " ".join(q["question"].rstrip("?？。") + "？" for q in part)
        yield text, [fact for q in part for fact in q.get("must_contain") or []]


async def _row(support: Support, collection: str, task: str, facts: Sequence[str]) -> dict[str, Any]:
    with forced("agentic"):
        reply = await support.ask(task, context=Context(collection=collection))
    log = current_turn((await support.state(reply.thread_id))["messages"])
    loop, loop_total = sum(map(message_tokens, log[1:-1])), _spent(reply.usage)
    turn = Turn(support.resources, Owner("default", ""), collection, "", [])
    done = await work(task, turn, [search_kb(turn), read_article(turn)])
    conclusion = encoded(concluded(task, done.log))
    handed = sum(map(message_tokens, _handed(task, conclusion)))
    kept, kept_in_loop = held(conclusion, facts), held(reply.answer, facts)
    return {
        "id": task[:40],
        "conclusion": conclusion,
        "answer": reply.answer,
        "steps": done.steps,
        "main_tokens_saved": round(1 - handed / max(1, loop), 4),
        "total_tokens_ratio": round((_spent(done.usage) + handed) / max(1, loop_total), 4),
        "facts": kept,
        "loop_facts": kept_in_loop,
        "quality_difference": round(kept - kept_in_loop, 4),
        "failed": kept < 1,
    }


def _handed(task: str, conclusion: str) -> list[BaseMessage]:
    """Return what delegating leaves in the main log."""
    call = {"name": RESEARCH_TOOL, "args": {"task": task}, "id": "c", "type": "tool_call"}
    return [AIMessage("", tool_calls=[call]), ToolMessage(conclusion, tool_call_id="c")]


def _spent(usage: Usage) -> int:
    return usage["input"] + usage["output"]


def held(text: str, facts: Sequence[str]) -> float:
    """Return the share of the required facts that a text states."""
    return round(sum(contains(text, [fact]) for fact in facts) / max(1, len(facts)), 4)
