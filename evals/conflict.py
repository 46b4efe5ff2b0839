"""The suite `conflict`: notes and memory say one value, a passage of this turn another; the passage is to be followed."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from evals.intervals import share
from evals.results import result
from evals.suite import Options, Result
from nodes.citations import cited_ids
from nodes.current import current_zone
from nodes.language import language
from nodes.models import chat_model, invoke
from nodes.passages import search_messages
from nodes.prompts import system_prompt
from nodes.window import Budget, Fixed, Scene, WindowPlan
from nodes.window.notes import Note
from nodes.window.tokens import content_text
from store.search import Passage

ABOUT = "a passage of this turn against older notes and memories, beside the zones in reverse order"
BOUNDS = {"follows_passage": (">=", 1.0), "scripted.follows_passage": (">=", 1.0)}
HOW = (
    "follows_passage: the configured model's answer states the passage's value, not the older one, and cites it.",
    "scripted: a model that repeats the newest value of its window; reversed, notes and memory stand behind the passage.",
)
FACTS = (
    ("专业版每月最多导入多少条流水", "专业版每月最多导入 {} 条流水", "条"),
    ("企业版的接口每分钟可以调用多少次", "企业版的接口每分钟可以调用 {} 次", "次"),
    ("对账单可以保存多少天", "对账单可以保存 {} 天", "天"),
    ("开票申请的单笔上限是多少元", "开票申请的单笔上限是 {} 元", "元"),
    ("How many members can a team have?", "A team can have {} members", " members"),
    ("How many days is an export link valid?", "An export link is valid for {} days", " days"),
)
VALUES = (("500", "1500"), ("30", "45"))
PLACES = ("notes", "memory")
QUESTION, PASSAGE = "question", "kb-901#1"


async def measure(options: Options) -> Result:
    """Run the suite; its cases are made here."""
    cases = [(fact, pair, place) for fact in FACTS for pair in VALUES for place in PLACES]
    rows = [
        await _row(options, number, *case)
        for number, case in enumerate(options.track(options.some(cases)), start=1)
    ]
    metrics = {
        "follows_passage": share([row["follows"] for row in rows]),
        "scripted.follows_passage": share([row["scripted"] for row in rows]),
    }
    reversed_zones = share([row["scripted_reversed"] for row in rows])["value"]
    return result(
        "conflict",
        n=len(rows),
        dataset="made here",
        metrics=metrics,
        bounds=BOUNDS,
        baselines={"zones reversed": {"scripted.follows_passage": reversed_zones}},
        rows=rows,
        model=options.settings.chat_model,
        how=HOW,
    )


async def _row(
    options: Options, number: int, fact: tuple[str, str, str], pair: tuple[str, str], place: str
) -> dict[str, Any]:
    (question, sentence, unit), (old, new) = fact, pair
    window = conflicting(options, question, sentence.format(old), sentence.format(new), place)
    answer = (await invoke(chat_model(options.settings), window)).text
    behind = [*window[1:], SystemMessage(sentence.format(old))]
    row = {
        "id": f"{number}-{place}",
        "answer": answer,
        "follows": follows(answer, old, new),
        "scripted": newest(window, unit) == new,
        "scripted_reversed": newest(behind, unit) == new,
    }
    return row | {"failed": not row["follows"]}


def follows(answer: str, old: str, new: str) -> bool:
    """Tell whether an answer states the passage's value and not the older one, and cites the passage."""
    said = re.findall(r"\d+", answer)
    return new in said and old not in said and PASSAGE in cited_ids(answer)


def conflicting(options: Options, question: str, old: str, new: str, place: str) -> list[BaseMessage]:
    """Return a window in which notes or memory say one thing and a passage of this turn another.

    Args:
        options: settings of the prompt.
        question: what is asked.
        old: the older statement.
        new: the passage's statement.
        place: ``notes`` or ``memory``.
    """
    passage = Passage(
        id=PASSAGE,
        doc_id="kb-901",
        title="限额",
        section="限额 > 现行",
        text=f"{new}。",
        score=1.0,
        confidence=1.0,
    )
    log = [HumanMessage(question, id=QUESTION), *search_messages(question, [passage], turn=QUESTION, ms=1)]
    notes = (Note("facts", (1,), f"{old}"),) if place == "notes" else ()
    fronts = {QUESTION: current_zone([f"记忆 memory: {old}"])} if place == "memory" else {}
    plan = WindowPlan(first=QUESTION, turn=2, notes=notes, opened=True)
    scene = Scene(
        budget=Budget(), fixed=Fixed.of(system_prompt(options.settings, language(question))), fronts=fronts
    )
    return scene.window(plan, log).messages


def newest(window: Sequence[BaseMessage], unit: str) -> str:
    """Return what the scripted model says: the last number in its window that has the fact's unit."""
    text = "\n".join(content_text(message.content) for message in window)
    found = re.findall(rf"(\d+){re.escape(unit) if unit.startswith(' ') else ' ' + re.escape(unit)}", text)
    return found[-1] if found else ""
