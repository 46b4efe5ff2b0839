"""What a model call is made with: the model, its tools, and the scene in which its window is rendered."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from nodes.current import current_zone
from nodes.estimators import estimator_of
from nodes.identity import run_context
from nodes.language import answer_language, language
from nodes.models import chat_model
from nodes.phrases import ANSWER_IN_LANGUAGE
from nodes.prompts import system_prompt
from nodes.skills import skill_lines, skills
from nodes.state import Context, State
from nodes.tools.schemas import schemas_of
from nodes.window import Budget, BudgetError, Fixed, Meter, Scene, Usage, WindowPlan, corrections, unseen
from nodes.window.advance import open_plan
from nodes.window.shorten import first_lines
from store.errors import ConfigError
from store.resources import resources
from store.settings import Settings

_BUDGET = TypeAdapter(Budget)
_NO_CAP = 1_000_000


async def scene_of(state: State, runtime: Runtime[Context], bound: Sequence[BaseTool]) -> Scene:
    """Return the scene of the turn's next call, with what stands in front of its question.

    Args:
        state: the thread.
        runtime: the run; its context may name a model and a budget.
        bound: the tools of the turn, which a node makes once.

    Raises:
        ConfigError: the budget contradicts itself.
    """
    opened, context = await resources(), run_context(runtime)
    estimator = await estimator_of(opened.pool, context.model or opened.settings.chat_model)
    scene = Scene(
        budget=budget_of(opened.settings, context.budget),
        fixed=fixed_zone(opened.settings, state["messages"], bound),
        user=state.get("user_zone", ""),
        fronts=state.get("fronts", {}),
        meter=Meter(estimator, Usage.from_dict(state.get("meter"))),
        keep_tools=[tool.name for tool in bound if (tool.metadata or {}).get("keep")],
    )
    return with_front(scene, open_plan(plan_of(state), scene), state["messages"], state.get("recalled", []))


async def model_of(
    runtime: Runtime[Context], bound: Sequence[BaseTool], *, may_call: bool = False
) -> Runnable[list[BaseMessage], BaseMessage]:
    """Return the model that answers, its tools bound at every call, so that all calls have one prefix.

    Args:
        runtime: the run; its context may name another model.
        bound: the tools of the turn.
        may_call: whether the model may call tools this time.
    """
    model = chat_model((await resources()).settings, run_context(runtime).model)
    schemas = schemas_of(bound)
    return model.bind_tools(schemas, tool_choice="auto" if may_call else "none") if schemas else model


def plan_of(state: State) -> WindowPlan:
    """Return the thread's window plan, the empty one before its first call."""
    return WindowPlan.from_dict(state.get("plan"))


_SET_BY = "A field is set by a variable (`high` by SUPPORTPILOT_BUDGET__HIGH) or by the run; `supportpilot budget` lists them."


def budget_of(settings: Settings, of_run: Mapping[str, Any]) -> Budget:
    """Return the budget of a run: its own fields, else the settings', else the defaults.

    Raises:
        ConfigError: a field is unknown or malformed, or the fields contradict each other.
    """
    given = {**settings.budget, **of_run}
    if unknown := set(given) - set(Budget.__dataclass_fields__):
        raise ConfigError(
            f"The budget has no {', '.join(sorted(unknown))} (in a variable: "
            f"{', '.join(map(_variable, sorted(unknown)))}); `supportpilot budget` lists its fields."
        )
    with budget_errors():
        return _BUDGET.validate_python(given)


@contextmanager
def budget_errors() -> Iterator[None]:
    """Turn what is wrong with a budget into an error of the settings, which is what it comes from."""
    try:
        yield
    except BudgetError as error:
        raise ConfigError(f"The budget does not work: {error} {_SET_BY}") from error
    except ValidationError as error:
        wrong = [": ".join([*map(str, each["loc"]), _said(each)]) for each in error.errors()]
        raise ConfigError(f"The budget does not work: {'; '.join(wrong)}. {_SET_BY}") from error


def _said(wrong: ErrorDetails) -> str:
    """Return what is wrong in the words of whoever found it; pydantic puts its own in front of ours."""
    return str(wrong.get("ctx", {}).get("error", wrong["msg"])).rstrip(".")


def _variable(field: str) -> str:
    """Return the environment variable of a field of the budget."""
    return f"SUPPORTPILOT_BUDGET__{field.upper()}"


def fixed_zone(settings: Settings, log: Sequence[BaseMessage], bound: Sequence[BaseTool]) -> Fixed:
    """Return system prompt and tools, the same bytes at every call of a thread.

    The prompt is in the language of the thread's first message, so that it never changes within a thread.
    """
    first = next((message.text for message in log if isinstance(message, HumanMessage)), "")
    prompt = [system_prompt(settings, language(first)), skill_lines(skills(settings.skills_dir))]
    return Fixed.of("\n\n".join(filter(None, prompt)), schemas_of(bound))


def with_front(scene: Scene, plan: WindowPlan, log: Sequence[BaseMessage], recalled: Sequence[str]) -> Scene:
    """Return the scene with what stands in front of the newest question; it is decided once a turn.

    Corrections and what changed in the user zone since the plan moved, then recalled memories: each only as
    far as the window does not show it yet. Last, and each time, the language of the answer if it is not the
    question's.
    """
    question = next(message for message in reversed(log) if isinstance(message, HumanMessage))
    if question.id is None or question.id in scene.fronts:
        return scene
    window, user = scene.window(plan, log), first_lines(scene.user, scene.budget.user_tokens)
    changed = unseen([*corrections(plan), *user.splitlines()], window, _NO_CAP)
    lines = [*changed, *unseen(recalled, window, scene.budget.memory_chars)]
    if (wished := answer_language(question)) != language(question.text):
        lines.append(ANSWER_IN_LANGUAGE[wished])
    return replace(scene, fronts={**scene.fronts, question.id: current_zone(lines)})
