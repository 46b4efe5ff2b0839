"""Arbitrary logs × plans × budgets, rendered and validated: the count of requests that would be refused."""

import random
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.window.advance import Scene, advance
from nodes.window.budget import Budget
from nodes.window.estimator import Estimator, Meter
from nodes.window.ledger import Ledger
from nodes.window.plan import WindowPlan
from nodes.window.render import Fixed
from nodes.window.tokens import content_text
from nodes.window.valid import problems

TEXTS = (
    "",
    "好",
    "退款500元",
    "长" * 300,
    "word " * 150,
    '{"passages":[' + '{"id":"k#1"},' * 40 + "{}]}",
    "x" * 5_000,
)
FIXED = Fixed.of("你是客服", [{"type": "function", "function": {"name": "search_help"}}])


def invalid_windows(n: int, seed: int = 0) -> dict[str, float]:
    """Render ``n`` arbitrary combinations and count what must never happen.

    Returns:
        invalid requests, requests over the budget, windows without the newest question, windows that differ
        when rendered again.
    """
    rng = random.Random(seed)  # noqa: S311  # a data set, not a secret
    found = dict.fromkeys(("invalid", "over_budget", "without_question", "different_bytes"), 0)
    for _ in range(n):
        log, bounds = _log(rng), _budget(rng)
        scene = Scene(budget=bounds, fixed=FIXED, meter=Meter(Estimator("gpt-4o")))
        plan = advance(_plan(rng, len(log)), log, scene)
        window, again = scene.window(plan, log), scene.window(WindowPlan.from_dict(plan.to_dict()), log)
        asked = content_text(
            next(m for m in reversed(window.messages) if isinstance(m, HumanMessage)).content
        )
        question = content_text(next(m for m in reversed(log) if isinstance(m, HumanMessage)).content)
        found["invalid"] += bool(problems(window.messages))
        found["over_budget"] += scene.meter.request(window.counts) > bounds.limit
        found["without_question"] += not (question in asked or question[:10] in asked)
        found["different_bytes"] += [m.model_dump() for m in window.messages] != [
            m.model_dump() for m in again.messages
        ]
    return {f"generated.{name}": float(count) for name, count in found.items()}


def _log(rng: random.Random) -> list[BaseMessage]:
    log = [_message(rng) for _ in range(rng.randint(0, 30))]
    log.insert(rng.randint(0, len(log)), HumanMessage(rng.choice(TEXTS[1:])))
    return [message.model_copy(update={"id": f"m{place}"}) for place, message in enumerate(log)]


def _message(rng: random.Random) -> BaseMessage:
    kind, text, ids = (
        rng.random(),
        rng.choice(TEXTS),
        [f"c{rng.randint(0, 5)}" for _ in range(rng.randint(0, 3))],
    )
    if kind < 0.2:  # noqa: PLR2004  # shares of the kinds of messages
        return HumanMessage(text)
    if kind < 0.6:  # noqa: PLR2004
        calls: list[Any] = [
            {"id": i, "name": "search_help", "args": {"q": text}, "type": "tool_call"} for i in ids
        ]
        return AIMessage(rng.choice(TEXTS), tool_calls=calls)
    if kind < 0.97:  # noqa: PLR2004
        return ToolMessage(
            text, tool_call_id=f"c{rng.randint(0, 5)}", status=rng.choice(("success", "error"))
        )
    return SystemMessage("规则")


def _plan(rng: random.Random, length: int) -> WindowPlan:
    def keys() -> frozenset[str]:
        return frozenset(f"m{rng.randint(0, length)}" for _ in range(rng.randint(0, 6)))

    turn = rng.randint(1, 5)
    return WindowPlan(
        first=rng.choice(("", f"m{rng.randint(0, length)}")),
        turn=turn,
        cleared=keys(),
        omitted=keys(),
        shortened=dict.fromkeys(keys(), rng.choice((0, 50, 400))),
        ledger=Ledger(tuple(f"T{i} DD{i}" for i in range(1, turn))),
        moved_at=rng.choice(("", f"m{rng.randint(0, length)}")),
        opened=rng.random() < 0.5,  # noqa: PLR2004  # half of them
    )


def _budget(rng: random.Random) -> Budget:
    limit = rng.choice((400, 900, 2_500, 8_000, 60_000))
    high = rng.randint(30, limit)
    return Budget(
        window=limit + 100,
        reserve=100,
        high=high,
        low=rng.randint(1, high // 3),
        cache_price=rng.choice((0.0, 0.02, 0.1, 1.0)),
        result_tokens=rng.choice((20, 1_200)),
        keep_groups=rng.randint(0, 6),
        older_turns=rng.randint(0, 2),
        summarise=rng.random() < 0.5,  # noqa: PLR2004
    )
