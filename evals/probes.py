"""Probes: questions about a turn that has left the window, answerable from what the window holds, or one replay away."""

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage

from evals.dialogues import DATA, Dialogue, prose_dialogue
from evals.intervals import Metric, share
from evals.jsonl import rows
from evals.policies import budget, run_policy
from evals.relevance import contains
from evals.summarisers import SUMMARISERS, summarisers
from nodes.window.advance import advance
from nodes.window.plan import WindowPlan
from nodes.window.recall import History, recall_history
from nodes.window.tokens import content_text

POINTS = 20
"""Points of prose in one dialogue: together with the turns between them, sixty turns."""


def prose_dialogues() -> list[Dialogue]:
    """Return the dialogues that carry decisions, promises, open points and complaints, which hold no code or number."""
    points = rows(DATA / "prose.jsonl")
    groups = [points[i : i + POINTS] for i in range(0, len(points) - POINTS + 1, POINTS)]
    return [prose_dialogue(group, seed) for seed, group in enumerate(groups)]


async def probe_figures(dialogues: Sequence[Dialogue]) -> dict[str, Metric]:
    """Return what is known of the probes of some dialogues at their end, by who wrote the notes.

    With the whole history every probe is answerable: what is not has been lost. Where no probed turn has left the
    window there is nothing to tell.
    """
    metrics: dict[str, Metric] = {}
    for name in SUMMARISERS:
        answers: list[tuple[bool, bool]] = []
        for dialogue in dialogues:
            done = await run_policy(dialogue, budget(12_000), advance, summarisers(dialogue)[name])
            answers += probed(dialogue, done.windows[-1], done.plans[-1])
        if answers:
            label = "" if name == "oracle" else f".{name}"
            metrics[f"probe_accuracy{label}"] = share([known for known, _ in answers])
            metrics[f"probes_in_window{label}"] = share([shown for _, shown in answers])
            metrics[f"distortion{label}"] = share([not known for known, _ in answers])
    return metrics


def probed(dialogue: Dialogue, sent: Sequence[BaseMessage], plan: WindowPlan) -> list[tuple[bool, bool]]:
    """Return for each probe of a turn that has left whether it is answerable, and from the window alone.

    A probe is answerable when the window states what it asks for, or one call of `recall_history` with the probe's
    own words returns it.

    Args:
        dialogue: its probes are asked.
        sent: the messages of its last window.
        plan: of that window.
    """
    window = "\n".join(content_text(message.content) for message in sent)
    log = dialogue.messages()
    history = History().extended(log)

    def replayed(question: str) -> str:
        return recall_history(question, [*log, HumanMessage(question)], history=history)

    answers = []
    for probe in (probe for probe in dialogue.probes if probe["at"] < plan.turn):
        shown = contains(window, probe["must_contain"])
        known = shown or contains(replayed(probe["question"]), probe["must_contain"])
        answers.append((known, shown))
    return answers
