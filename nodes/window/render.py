"""Rendering: from log and plan to the messages of one call, a pure function, the same bytes every time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from nodes.window.budget import Budget
from nodes.window.clear import REPLAY_TOOLS, stub
from nodes.window.counts import ZERO, Counts, lines_counts, message_counts, text_counts, total
from nodes.window.log import Log, call_ids, handle
from nodes.window.notes import notes_text
from nodes.window.plan import WindowPlan, shown
from nodes.window.redact import redact, redacted
from nodes.window.shorten import SMALLEST, result_chars, shorten, shorten_result
from nodes.window.tokens import compact_json, content_text
from nodes.window.values import identifiers

NO_RESULT = "[没有结果 no result: 调用被中断或拒绝,结果未知 the call was interrupted or refused, its outcome is unknown]"
LEDGER_TITLE = "# 账目 ledger (T = turn)"
NOTES_TITLE = "# 笔记 notes: T{first}–T{last} 已离开窗口 left this window; recall_history(query) 找回原文 finds them word for word"


@dataclass(frozen=True, slots=True)
class Fixed:
    """What never changes in a thread: the system prompt and the tools, sorted by name."""

    system: str
    tools: tuple[str, ...] = ()
    tool_counts: Counts = ZERO

    @classmethod
    def of(cls, system: str, tools: Sequence[Mapping[str, Any]] = ()) -> "Fixed":
        """Build the zone from the prompt and the tools' schemas as they are sent (OpenAI's form)."""
        schemas = tuple(sorted(map(compact_json, tools)))
        return cls(system, schemas, total([text_counts(schema)._replace(tools=1) for schema in schemas]))

    @property
    def counts(self) -> Counts:
        """What the zone is made of, the envelope of the request included."""
        return self.tool_counts.plus(text_counts(self.system)._replace(messages=1, requests=1))


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of one call, and what each zone of them is made of."""

    messages: list[BaseMessage]
    zones: dict[str, Counts]
    tool_counts: Counts = ZERO

    @property
    def counts(self) -> Counts:
        """What the whole request is made of."""
        return total(list(self.zones.values()))


def render(
    plan: WindowPlan,
    log: Sequence[BaseMessage] | Log,
    *,
    fixed: Fixed,
    budget: Budget,
    fronts: Mapping[str, str] | None = None,
) -> Window:
    """Return the window of a call.

    Args:
        plan: which results are cleared, from which turn on messages are shown, the notes before them.
        log: the whole thread, or its shown part as `shown` indexed it.
        fixed: system prompt and tools.
        budget: its caps; the same for the whole thread, or a prefix breaks.
        fronts: key of a user message → what stands in front of it, in the same message.
    """
    index = log if isinstance(log, Log) else shown(plan, log)
    before, newest = _split(plan, index, budget, fronts or {})
    notes = warm_text(plan)
    if plan.hidden:
        notes = redact(notes, plan.hidden)
        before, newest = ([redacted(m, plan.hidden) for m in part] for part in (before, newest))
    asked = [content_text(index.messages[p].content) for p in index.systems]
    system = "\n\n".join(filter(None, [fixed.system, *asked, plan.user, notes]))
    zones = {
        "fixed": total([fixed.counts, *map(text_counts, asked)]),
        "user": text_counts(plan.user),
        "notes": lines_counts(notes),
        "hot": total(list(map(message_counts, before))),
        "current": total(list(map(message_counts, newest))),
    }
    return Window([SystemMessage(system), *before, *newest], zones, fixed.tool_counts)


def warm_text(plan: WindowPlan) -> str:
    """Return the ledger and the notes as they stand in the system message, empty before anything left."""
    ledger, notes = str(plan.ledger), notes_text(plan.notes)
    title = NOTES_TITLE.format(first=1, last=plan.turn - 1) if plan.turn > 1 else ""
    return "\n".join(filter(None, [LEDGER_TITLE * bool(ledger), ledger, title, notes]))


def result_text(plan: WindowPlan, log: Log, position: int, budget: Budget) -> str | None:
    """Return what a window shows of a result: None where it shows the result as it is."""
    message, key = log.messages[position], log.key(position)
    text = content_text(message.content)
    if key in plan.cleared:
        return stub(position, identifiers(text))
    cap = budget.replay_tokens if message.name in REPLAY_TOOLS else budget.result_tokens
    chars = min(plan.shortened.get(key, len(text)), result_chars(text, cap))
    return shorten_result(text, chars, handle(position)) if chars < len(text) else None


def step_messages(
    plan: WindowPlan, log: Log, position: int, budget: Budget, front: str = ""
) -> Iterator[BaseMessage]:
    """Yield what a window shows of a user or assistant message, results right behind their calls."""
    message, key = log.messages[position], log.key(position)
    if key in plan.shortened:
        chars = max(plan.shortened[key], SMALLEST)
        message = _with(message, shorten(content_text(message.content), chars, " …[省略 cut]… "))
    if isinstance(message, HumanMessage) and front and key not in plan.shortened:
        yield _with(message, _fronted(message.content, front))
    elif not isinstance(message, AIMessage):
        yield message
    elif ids := _unique(call_ids(message), position):
        yield _with_ids(message, ids)
        for call, result in zip(ids, log.results[position], strict=True):
            yield _result(plan, log, result, call, budget)
    elif content_text(message.content).strip():
        yield message


def turn_counts(plan: WindowPlan, log: Log, turn: int, budget: Budget) -> Counts:
    """Return what a turn, as a window shows it without what stands in front of it, is made of."""
    steps = (p for p in log.steps(log.start(turn), log.start(turn + 1)) if log.key(p) not in plan.omitted)
    return total([message_counts(m) for p in steps for m in step_messages(plan, log, p, budget)])


def _split(
    plan: WindowPlan, log: Log, budget: Budget, fronts: Mapping[str, str]
) -> tuple[list[BaseMessage], list[BaseMessage]]:
    question = log.question()
    since = _moved_at(plan, log)
    before: list[BaseMessage] = []
    newest: list[BaseMessage] = []
    for position in log.steps(log.begin):
        key = log.key(position)
        if key not in plan.omitted or isinstance(log.messages[position], HumanMessage):
            front = fronts.get(key, "") if position >= since else ""
            zone = newest if position >= question else before
            zone.extend(step_messages(plan, log, position, budget, front))
    return before, newest


def _moved_at(plan: WindowPlan, log: Log) -> int:
    """Return the position from which fronts are shown."""
    places = (start for start in reversed(log.starts) if log.key(start) == plan.moved_at)
    return next(places, log.begin)


def _result(plan: WindowPlan, log: Log, position: int | None, call: str, budget: Budget) -> BaseMessage:
    if position is None:
        return ToolMessage(NO_RESULT, tool_call_id=call)
    message = log.messages[position]
    text = result_text(plan, log, position, budget)
    changes: dict[str, object] = {} if text is None else {"content": text}
    if isinstance(message, ToolMessage) and message.tool_call_id != call:
        changes["tool_call_id"] = call
    return message.model_copy(update=changes) if changes else message


def _unique(ids: list[str], position: int) -> list[str]:
    """Return call ids with empty and repeated ones replaced: a request with such is refused."""
    return [
        call if call and call not in ids[:place] else f"call_{position}_{place}"
        for place, call in enumerate(ids)
    ]


def _with_ids(message: AIMessage, ids: list[str]) -> AIMessage:
    if ids == call_ids(message):
        return message
    calls = [{**call, "id": ids[i]} for i, call in enumerate(message.tool_calls)]
    bad = [{**call, "id": ids[len(calls) + i]} for i, call in enumerate(message.invalid_tool_calls)]
    return message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": bad})


def _with(message: BaseMessage, content: str | list[str | dict[Any, Any]]) -> BaseMessage:
    return message.model_copy(update={"content": content})


def _fronted(content: str | list[str | dict[Any, Any]], front: str) -> str | list[str | dict[Any, Any]]:
    if isinstance(content, str):
        return f"{front}\n\n{content}"
    return [{"type": "text", "text": front}, *content]
