"""The suite `pollution`: whether answers build on what was refuted, with marks and without."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from evals.intervals import share
from evals.results import result
from evals.suite import Options, Result
from nodes.window.advance import Scene, advance, move
from nodes.window.budget import Budget
from nodes.window.estimator import Estimator, Meter
from nodes.window.plan import WindowPlan, corrections, mark_refuted
from nodes.window.render import Fixed
from nodes.window.tokens import content_text
from nodes.window.values import tokens

SLOTS = ("退款金额", "到账天数", "发票抬头费", "套餐价格", "对账日期", "席位数量", "导入上限", "补贴额度")
UNITS = ("元", "天", "元", "元", "日", "席", "行", "元")
MARKED = re.compile(r"refuted\b|更正 correction")
SMALL = Budget(window=3_000, reserve=500, high=900, low=300)
ABOUT = "whether answers build on what was refuted, with marks and without"
BOUNDS = {"pollution": ("<=", 0.02)}


async def measure(_options: Options) -> Result:
    """Run the suite; its cases are made here."""
    return await run()


async def run(*, cases: int = 120) -> Result:
    """Run the suite: a wrong value is said, corrected, and asked for again, near and far.

    The model is scripted: it repeats the newest value of the slot in its window that no mark refutes, the
    wrong one as readily as the right one. Each case is asked while the wrong turn is still shown and after it
    left, with marks and without.

    Args:
        cases: how many.
    """
    rows = [_case(number, marks=marks) for number in range(cases) for marks in (True, False)]
    polluted = {marks: [row["polluted"] for row in rows if row["marks"] is marks] for marks in (True, False)}
    metrics = {
        "pollution": share(polluted[True]),
        "pollution_without_marks": share(polluted[False]),
    }
    return result(
        "pollution",
        n=cases,
        dataset=f"made here, {cases} cases",
        metrics=metrics,
        bounds=BOUNDS,
        baselines={"without marks": {"pollution": metrics["pollution_without_marks"]["value"]}},
        rows=rows,
        model="scripted: repeats the newest value in its window that no mark refutes",
    )


def _case(number: int, *, marks: bool) -> dict[str, Any]:
    """Lead one conversation: the wrong value in turn 2, refuted, and asked for 1 to 12 turns later."""
    slot, unit = SLOTS[number % len(SLOTS)], UNITS[number % len(UNITS)]
    wrong, distance = f"{300 + 7 * number}{unit}", 1 + number % 12
    log = _talk([("你好", "您好"), (f"{slot}是多少", f"{slot}是{wrong}"), ("好的", "嗯" * 200)])
    scene = Scene(budget=SMALL, fixed=Fixed.of("你是客服"), meter=Meter(Estimator("gpt-4o")))
    plan = advance(WindowPlan(), log, scene)
    if marks:
        plan = mark_refuted(plan, 2, f"{slot}说成了{wrong},查证后不对,正确数值待查")
    log += _talk([(f"闲聊{i}", "好" * 100) for i in range(distance)], start=len(log))
    log.append(HumanMessage(f"那{slot}到底是多少?", id="ask"))
    front = "\n".join(corrections(plan))
    moved = number % 3 > 0
    plan = move(plan, log, scene) if moved else plan
    fronts = {} if moved else {"ask": front}
    window = Scene(budget=scene.budget, fixed=scene.fixed, fronts=fronts).window(plan, log)
    answer = repeat_newest([content_text(m.content) for m in window.messages], slot, unit)
    return {
        "id": f"{number}-{'marked' if marks else 'plain'}",
        "marks": marks,
        "left": plan.turn > 2,  # noqa: PLR2004  # the wrong turn
        "answer": answer,
        "wrong": wrong,
        "polluted": answer == wrong,
    }


def repeat_newest(texts: Sequence[str], slot: str, unit: str) -> str:
    """Return what the scripted model says: the last value with the slot's unit that no marked line states."""
    lines, marked = [], set()
    for text in texts:
        heading = ""
        for line in text.splitlines():
            heading = line if line.startswith("#") else heading
            marked |= {line} if MARKED.search(line) or heading == "## refuted" else set()
            lines.append(line)
    refuted = frozenset().union(*map(tokens, marked))
    said = [
        value
        for line in lines
        if line not in marked and (slot in line or line.startswith("T"))
        for value in re.findall(rf"\d+{unit}", line)
        if not tokens(value) & refuted
    ]
    return said[-1] if said else ""


def _talk(pairs: Sequence[tuple[str, str]], start: int = 0) -> list[BaseMessage]:
    log: list[BaseMessage] = []
    for place, (user, answer) in enumerate(pairs):
        log += [HumanMessage(user, id=f"u{start}-{place}"), AIMessage(answer, id=f"a{start}-{place}")]
    return log
