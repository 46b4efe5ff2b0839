"""Dialogues for the window suites: recorded ones in JSON Lines, and generated ones in any number."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from evals.dialogue_texts import ANSWERS, ASKS, CLAUSES, CODES, PRODUCTS, TOOLS
from evals.jsonl import rows
from nodes.window.render import Fixed

DATA = Path(__file__).parent / "data" / "window"
FORM = {
    "user": str,
    "answer": str,
    "calls?": [{"id": str, "name": str, "args": dict, "result": str}],
    "facts?": [str],
    "fact_tool?": str,
    "probes?": [{"at": int, "question": str, "must_contain": [str]}],
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: what the user says, the calls with their results, the answer, and what must not be lost."""

    user: str
    answer: str
    calls: list[dict[str, Any]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    """Values that user or assistant state in the turn."""
    fact_tool: str | None = None
    """A value that only a tool result holds."""
    note: str = ""
    """What an ideal summary says of the turn, without code or number; empty for small talk."""
    heading: str = "facts"

    @property
    def values(self) -> list[str]:
        """Everything that must not be lost."""
        return [*self.facts, *filter(None, [self.fact_tool])]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A recorded conversation with the agent that led it."""

    name: str
    turns: list[Turn]
    system: str
    tools: list[dict[str, Any]]
    probes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def values(self) -> list[str]:
        """Everything that must not be lost, in order."""
        return [value for turn in self.turns for value in turn.values]

    @property
    def fixed(self) -> Fixed:
        """The fixed zone of the agent's requests."""
        return Fixed.of(self.system, self.tools)

    def messages(self) -> list[BaseMessage]:
        """Return the dialogue as the log of a thread."""
        return list(self._messages())

    def starts(self) -> list[int]:
        """Return the position in the log at which each turn starts."""
        return [p for p, message in enumerate(self.messages()) if isinstance(message, HumanMessage)]

    def _messages(self) -> Iterator[BaseMessage]:
        for number, turn in enumerate(self.turns, start=1):
            yield HumanMessage(turn.user, id=f"u{number}")
            if turn.calls:
                calls = [
                    {k: call[k] for k in ("id", "name", "args")} | {"type": "tool_call"}
                    for call in turn.calls
                ]
                yield AIMessage("", tool_calls=calls, id=f"c{number}")
            for call in turn.calls:
                yield ToolMessage(
                    call["result"], tool_call_id=call["id"], name=call["name"], id=f"r-{call['id']}"
                )
            yield AIMessage(turn.answer, id=f"a{number}")


def said(dialogue: Dialogue, sent: int) -> list[str]:
    """Return the must-keep values of the turns that a call's log holds."""
    return [
        v
        for start, turn in zip(dialogue.starts(), dialogue.turns, strict=True)
        if start < sent
        for v in turn.values
    ]


def load(path: Path) -> Dialogue:
    """Read a dialogue: a turn a line, with `probes` on any line; the agent's setup in `*setup.json` beside it."""
    lines = rows(path, form=FORM)
    setups = sorted(path.parent.glob("*setup.json")) or [DATA / "setup.json"]
    setup = json.loads(setups[0].read_text(encoding="utf-8"))
    known = Turn.__dataclass_fields__
    return Dialogue(
        path.stem,
        [Turn(**{k: v for k, v in line.items() if k in known and v is not None}) for line in lines],
        setup["system"],
        [schema(name, text) for name, text in setup["tools"].items()],
        [probe for line in lines for probe in line.get("probes") or []],
    )


def schema(name: str, description: str) -> dict[str, Any]:
    """Return a tool's schema as it is sent."""
    query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": query}}


def generate(seed: int, turns: int, language: str = "zh") -> Dialogue:
    """Make up a dialogue of the recorded ones' form and size: dense in values, about 800 characters a result."""
    rng = random.Random(seed)  # noqa: S311  # a data set, not a secret
    setup = json.loads((DATA / "setup.json").read_text(encoding="utf-8"))
    tools = [schema(name, text) for name, text in setup["tools"].items()]
    made = [_turn(rng, number, language) for number in range(1, turns + 1)]
    return Dialogue(f"generated-{language}-{turns}-{seed}", made, setup["system"], tools)


def _turn(rng: random.Random, number: int, language: str) -> Turn:
    code, ticket, other, approval = (rng.choice(CODES).format(rng.randrange(10**7)) for _ in range(4))
    amount = f"{rng.uniform(50, 9_000):.2f}元" if language == "zh" else f"${rng.uniform(50, 9_000):,.2f}"
    day = (
        f"{rng.randint(1, 12)}月{rng.randint(1, 28)}日" if language == "zh" else f"March {rng.randint(1, 28)}"
    )
    product = rng.choice(PRODUCTS[language])
    fill = {"code": code, "amount": amount, "day": day, "product": product, "ticket": f"{ticket}"}
    count = rng.choices((0, 1, 2, 3), (1, 5, 4, 2))[0]
    calls = [_call(rng, f"{number}-{i}", language, code, approval if i == 0 else other) for i in range(count)]
    user, answer = rng.choice(ASKS[language]).format(**fill), ANSWERS[language].format(**fill)
    facts = list(dict.fromkeys(value for value in (code, ticket, amount, day) if value in user + answer))
    return Turn(user, answer, calls, facts, approval if count else None)


def _call(rng: random.Random, name: str, language: str, code: str, approval: str) -> dict[str, Any]:
    words, end = ("。", 800) if language == "zh" else (". ", 1_500)
    text = ""
    while len(text) < end:
        text += rng.choice(CLAUSES[language]) + words
    record = {
        "code": code,
        "status": rng.choice(["open", "done", "queued"]),
        "detail": text[:end],
        "approval": approval,
    }
    return {
        "id": f"call_{name}",
        "name": rng.choice(TOOLS),
        "args": {"query": code},
        "result": json.dumps(record, ensure_ascii=False),
    }


TAIL = 12
"""Turns behind the last point of prose, so that its turn leaves the window."""


def prose_dialogue(points: Sequence[dict[str, Any]], seed: int) -> Dialogue:
    """Make a dialogue in which every third turn carries a point of prose, with a probe about each.

    Args:
        points: rows of `data/window/prose.jsonl`.
        seed: of the dialogue around them.
    """
    base = generate(seed, 3 * len(points) + TAIL)
    turns = list(base.turns)
    probes = []
    for place, point in enumerate(points):
        number = 3 * place
        turns[number] = Turn(point["user"], point["answer"], note=point["note"], heading=point["heading"])
        probes.append(
            {"at": number + 1, "question": point["question"], "must_contain": point["must_contain"]}
        )
    return Dialogue(f"prose-{seed}", turns, base.system, base.tools, probes)
