"""The sub-agent: much is read in a context of its own, and a conclusion of about 300 characters comes back."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, Field

from nodes.citations import cited_ids
from nodes.estimators import estimator_of
from nodes.language import language
from nodes.log import used_ids
from nodes.loop import calls_tools
from nodes.models import chat_model, invoke, usage_of
from nodes.passages import RESEARCH_TOOL, passages_in
from nodes.prompts import prompt
from nodes.state import NO_USAGE, Usage, add_usage
from nodes.tools.run import open_calls, run_calls
from nodes.tools.schemas import schemas_of
from nodes.tools.turn import Turn, tier
from nodes.tools.written import with_calls
from nodes.window import Budget, Fixed, Meter, Scene, WindowPlan, advance, check_window, read_result

STEPS = 8
"""Model steps of one task."""
CHARS = 360
"""Characters of a conclusion that come back; asked for are 300."""

_MISSING = re.compile(
    r"^\W*(?P<what>未找到|未完成|not found|unfinished)\s*[:：]\s*(?P<point>.+?)\s*$", re.IGNORECASE
)


class ResearchArgs(BaseModel):
    """Arguments of ``research``."""

    task: str = Field(
        min_length=4,
        max_length=2_000,
        description="All that is needed, for it sees nothing of the conversation. 任务的全部内容",
    )


class ReadArgs(BaseModel):
    """Arguments of ``read_result`` of the sub-agent's own results."""

    handle: str = Field(description="The result's handle, such as r12. 句柄")
    start: int = Field(default=1, ge=1, description="First line. 起始行")


@dataclass(slots=True)
class Research:
    """A task at work: its own messages, which end with it, and what it took."""

    log: list[BaseMessage]
    plan: WindowPlan = field(default_factory=WindowPlan)
    usage: Usage = field(default_factory=lambda: NO_USAGE)
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What came of a task.

    Attributes:
        text: the facts, each with its source.
        not_found: points that the help centre does not cover.
        unfinished: points, or the task, that were not looked up to the end.
    """

    text: str
    not_found: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()


def research(turn: Turn, tools: Sequence[BaseTool]) -> BaseTool:
    """Return the tool that hands a task to the sub-agent.

    Args:
        turn: what the tools of the turn work on.
        tools: what the sub-agent may call beside ``read_result``.
    """

    async def run(task: str) -> tuple[str, dict[str, Any]]:
        done = await work(task, turn, tools)
        found = concluded(task, done.log)
        given = passages_in(done.log)
        cited = [dict(given[id_]) for id_ in cited_ids(found.text) if id_ in given]
        return encoded(found), {"passages": cited, "usage": done.usage, "steps": done.steps}

    return StructuredTool(
        name=RESEARCH_TOOL,
        description=(
            "Hand a task that needs much reading (comparisons in several points, everything about a subject) to a "
            "researcher. It sees nothing of the conversation, so `task` must hold all that it needs. Returns about 300 "
            "characters with sources. 需要大量阅读的任务（多要点对比、某主题的全部内容）交给研究员；"
            "它看不到对话，task 要写全。"
        ),
        args_schema=ResearchArgs,
        coroutine=run,
        response_format="content_and_artifact",
        metadata=tier("read") | {"seconds": turn.opened.settings.request_timeout * STEPS},
    )


async def work(task: str, turn: Turn, tools: Sequence[BaseTool]) -> Research:
    """Carry a task out in a context of its own, in at most eight model steps.

    Raises:
        ModelError: the model fails.
    """
    settings = turn.opened.settings
    at_work = Research([HumanMessage(task, id="task")])
    bound = sorted((*tools, _read_own(at_work.log)), key=lambda tool: tool.name)
    names = [tool.name for tool in bound]
    model = chat_model(settings, turn.model)
    scene = await _scene(task, turn, bound)
    while at_work.steps < STEPS:
        at_work.steps += 1
        choice = "auto" if at_work.steps < STEPS else "none"
        asked = model.bind_tools(bound, tool_choice=choice).with_config(tags=[TAG_NOSTREAM])
        reply = await invoke(asked, _window(at_work, scene))
        at_work.usage = add_usage(at_work.usage, usage_of(reply))
        reply = with_calls(reply, names, used_ids(at_work.log))
        step = f"step-{at_work.steps}"
        at_work.log.append(reply.model_copy(update={"id": step}))
        if not calls_tools(reply):
            break
        _, calls = open_calls(at_work.log)
        at_work.log += await run_calls(calls, bound, seconds=settings.tool_timeout, step=step)
    return at_work


def concluded(task: str, log: Sequence[BaseMessage]) -> Conclusion:
    """Read what a task came to from its messages.

    Lines beyond the length that may come back are left out whole, and the conclusion is then unfinished.

    Args:
        task: the task.
        log: the sub-agent's messages.
    """
    last = next((m for m in reversed(log) if isinstance(m, AIMessage)), AIMessage(""))
    if calls_tools(last) or not last.text.strip():
        return Conclusion("", unfinished=(task,))
    kept: list[str] = []
    missing: dict[str, list[str]] = {"not_found": [], "unfinished": []}
    for line in filter(str.strip, last.text.splitlines()):
        if named := _MISSING.match(line):
            missing["not_found" if named["what"].lower() in {"未找到", "not found"} else "unfinished"].append(
                named["point"]
            )
        elif sum(map(len, kept)) + len(line) <= CHARS:
            kept.append(line.strip())
        else:
            missing["unfinished"].append(line.strip()[:40])
    return Conclusion("\n".join(kept), tuple(missing["not_found"]), tuple(missing["unfinished"]))


def encoded(found: Conclusion) -> str:
    """Return a conclusion as the model reads it."""
    shown: Mapping[str, Any] = {
        "conclusion": found.text,
        "not_found": found.not_found,
        "unfinished": found.unfinished,
    }
    return json.dumps({name: value for name, value in shown.items() if value}, ensure_ascii=False)


async def _scene(task: str, turn: Turn, bound: Sequence[BaseTool]) -> Scene:
    settings = turn.opened.settings
    fixed = Fixed.of(prompt(f"research.{language(task)}"), schemas_of(bound))
    estimator = await estimator_of(turn.opened.pool, turn.model or settings.chat_model)
    return Scene(budget=Budget(**{**turn.budget, "summarise": False}), fixed=fixed, meter=Meter(estimator))


def _window(at_work: Research, scene: Scene) -> list[BaseMessage]:
    at_work.plan = advance(at_work.plan, at_work.log, scene)
    messages = scene.window(at_work.plan, at_work.log).messages
    check_window(messages)
    return messages


def _read_own(log: Sequence[BaseMessage]) -> BaseTool:
    async def run(handle: str, start: int = 1) -> str:
        return read_result(handle, log, start)

    return StructuredTool(
        name="read_result",
        description="Read on in a result that was cut or cleared. 继续读被截断或清除的结果。",
        args_schema=ReadArgs,
        coroutine=run,
        metadata=tier("read"),
    )
