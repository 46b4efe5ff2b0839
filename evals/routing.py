"""The suite `routing`: which way messages go, by the rules and by a model, and what the ways cost in whole turns."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from evals import jsonl
from evals.corpora import ANSWERABLE, ingested, load_corpus
from evals.corpora import DATA as QUESTIONS
from evals.intervals import Metric, metric, share
from evals.plots import matrix
from evals.results import result, versioned
from evals.suite import Options, Result
from evals.turns import POLICIES, Runner, calls_to_fixed
from graph.support import open_support
from nodes.models import chat_model
from nodes.offline.rules import rule_for
from nodes.retrieve import UNSURE
from nodes.routing import decide
from nodes.state import RouteName
from nodes.structured import structured
from store.settings import PROJECT

DATA = PROJECT / "evals" / "data" / "routing.jsonl"
ABOUT = "which way messages go, by rules and by a model; model calls beside always fixed and always agentic"
BOUNDS = {
    "accuracy": (">=", 0.9),
    "recall.agentic": (">=", 0.9),
    "taken_for_agentic": ("<=", 0.05),
    "calls_to_fixed_answerable": ("<=", 1.3),
    "calls_to_fixed": ("<=", 1.6),
}
HOW = (
    "accuracy, precision, recall: on messages whose author saw neither the code nor other messages; nothing was fitted to them.",
    "seen.accuracy: on the messages that were in sight while rules and labelled messages were written.",
    "taken_for_agentic: of the messages labelled fixed, those that go to the agent before anything is retrieved.",
    "model calls: whole turns on the help centre, internal calls included; always_fixed answers from one retrieval.",
    "escalation_helped: of the turns whose retrieval was not sure enough, those complete only by escalating.",
)
TURNS = 40
"""Questions that are asked in whole turns, spread evenly over the data set."""
ROUTES: tuple[RouteName, ...] = ("direct", "fixed", "agentic")
FORM = {"id": str, "question": str, "route": ROUTES, "history?": [str | list]}
_PROMPT = (
    "You route messages to a help centre's assistant. direct: greetings, thanks, wishes to remember, commands about the "
    "memory. agentic: more than one question, comparisons, everything about a subject, the user's own account, "
    "something to be done. fixed: every other question."
)


class RouteChoice(BaseModel):
    """Which way a message goes."""

    route: RouteName = Field(description="direct, fixed or agentic")


@rule_for(RouteChoice)
def route_offline(messages: Sequence[Any]) -> RouteChoice:
    """Choose by the rules, from the same messages that a live model is sent."""
    return RouteChoice(route=decide(messages[-1].text)["route"])


async def measure(options: Options) -> Result:
    """Run the suite; a data set of one's own replaces the labelled messages, and the turns are then left out."""
    data = options.data or DATA
    cases = jsonl.rows(data, "" if options.data else "fresh", FORM)
    rows = [await _row(case, options) for case in options.some(cases)]
    turns = [] if options.data or options.quick else await _turns(options)
    found = figures(rows, "got") | ({} if options.data else _seen()) | (costs(turns) if turns else {})
    model = {name: one["value"] for name, one in figures(rows, "model").items()} if options.live else {}
    return result(
        "routing",
        n=len(rows),
        dataset=versioned(data, QUESTIONS) if turns else versioned(data),
        metrics=found,
        bounds=BOUNDS,
        baselines={"always fixed": _always(rows)} | ({"small model": model} if model else {}),
        rows=[*rows, *turns],
        model=options.settings.chat_model,
        how=HOW,
        plots=[
            matrix(
                "Which way messages went",
                [(str(row["route"]), str(row["got"])) for row in rows],
                rows="labelled",
                columns="got",
            )
        ],
    )


def _seen() -> dict[str, Metric]:
    """Return the accuracy on the messages of the splits ``dev`` and ``test``."""
    cases = [*jsonl.rows(DATA, "dev"), *jsonl.rows(DATA, "test")]
    right = [decide(one["question"], bool(one.get("history")))["route"] == one["route"] for one in cases]
    return {"seen.accuracy": share(right)}


async def _row(case: Mapping[str, Any], options: Options) -> dict[str, Any]:
    decision = decide(case["question"], bool(case.get("history")))
    row = {"id": case["id"], "question": case["question"], "route": case["route"], "got": decision["route"]}
    if options.live:
        settings = options.settings
        asked = [SystemMessage(_PROMPT), HumanMessage(case["question"])]
        chosen = (await structured(chat_model(settings, settings.small_model), RouteChoice, asked)).parsed
        row["model"] = chosen.route if chosen else "fixed"
    return row | {"reason": decision["reason"], "failed": row["got"] != row["route"]}


def figures(rows: Sequence[Mapping[str, Any]], by: str) -> dict[str, Metric]:
    """Return accuracy, and precision and recall of every way.

    Args:
        rows: labelled messages with the way that each went.
        by: the column of that way.
    """
    found = {"accuracy": share([row[by] == row["route"] for row in rows])}
    for route in ROUTES:
        went = [row["route"] == route for row in rows if row[by] == route]
        meant = [row[by] == route for row in rows if row["route"] == route]
        found |= {f"precision.{route}": share(went)} if went else {}
        found |= {f"recall.{route}": share(meant)} if meant else {}
    fixed = [row[by] == "agentic" for row in rows if row["route"] == "fixed"]
    return found | ({"taken_for_agentic": share(fixed)} if fixed else {})


def costs(turns: Sequence[Mapping[str, Any]]) -> dict[str, Metric]:
    """Return model calls a question under every policy, and what became of escalations.

    Args:
        turns: graded turns, the same questions under every policy.
    """
    by = {policy: [turn for turn in turns if turn["policy"] == policy] for policy in POLICIES}
    found = {}
    for policy, name in (("routed", ""), ("fixed", "always_fixed."), ("agentic", "always_agentic.")):
        calls = [turn["model_calls"] for turn in by[policy]]
        found[f"{name}model_calls_per_question"] = metric(mean(calls), len(calls))
    found |= calls_to_fixed(turns)
    pairs = [(r, f) for r, f in zip(by["routed"], by["fixed"], strict=True) if r["reason"] == UNSURE]
    answerable = [(r, f) for r, f in pairs if r["kind"] in ANSWERABLE]
    found["escalated"] = metric(len(pairs) / len(by["routed"]), len(by["routed"]), rate=True)
    if answerable:
        found["escalation_helped"] = share([r["complete"] and not f["complete"] for r, f in answerable])
        found["escalation_hurt"] = share([f["complete"] and not r["complete"] for r, f in answerable])
    return found


async def _turns(options: Options) -> list[dict[str, Any]]:
    corpus = load_corpus(options.corpus, QUESTIONS)
    step = max(1, len(corpus.questions) // TURNS)
    cases = [(policy, asked) for asked in corpus.questions[::step] for policy in POLICIES]
    async with (
        open_support(options.settings) as support,
        ingested(support.resources.knowledge, corpus) as collection,
    ):
        runner = Runner(support, collection.name)
        return [await runner.row(policy, asked) for policy, asked in options.track(cases)]


def _always(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    fixed = [{**row, "always": "fixed"} for row in rows]
    return {name: one["value"] for name, one in figures(fixed, "always").items()}
