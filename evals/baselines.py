"""What others do with the same dialogue, in the same process, driven through their own agent loops."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.utils import trim_messages
from langgraph.checkpoint.memory import InMemorySaver

from evals.counting import optional, request
from evals.dialogues import Dialogue
from evals.policies import Run
from evals.recorded import Oracle, Recorded, exact
from nodes.window.valid import problems

SYSTEM_RULE = "more than one system message"
"""What others' requests may break: several providers take it, and the product's own rule is stricter."""


def baselines(high: int) -> dict[str, Callable[[Dialogue], Run]]:
    """Return the baselines at a trigger, by name; those whose package is missing are left out.

    Args:
        high: the trigger in exact tokens, the same for all.
    """
    found: dict[str, Callable[[Dialogue], Run]] = {
        "trim_messages": lambda d: _trimmed(d, high, start_on="human"),
        "trim_messages without start_on": lambda d: _trimmed(d, high),
    }
    if middleware := optional("langchain.agents.middleware"):
        found |= {
            "langchain ContextEditingMiddleware": lambda d: _agent(d, lambda _: _clearing(middleware, high)),
            "langchain SummarizationMiddleware": lambda d: _agent(
                d,
                lambda o: middleware.SummarizationMiddleware(
                    model=o, trigger=("tokens", high), token_counter=exact
                ),
            ),
            "langchain SummarizationMiddleware trim None": lambda d: _agent(
                d,
                lambda o: middleware.SummarizationMiddleware(
                    model=o,
                    trigger=("tokens", high),
                    keep=("tokens", high // 3),
                    trim_tokens_to_summarize=None,
                    token_counter=exact,
                ),
            ),
        }
    if (summarization := optional("deepagents.middleware.summarization")) and middleware:
        found["deepagents"] = lambda d: _deepagents(summarization, d, high)
    if langmem := optional("langmem.short_term"):
        found["langmem"] = lambda d: _langmem(langmem, d, high)
    return found


def _clearing(middleware: Any, high: int) -> Any:
    edit = middleware.ClearToolUsesEdit(trigger=high, keep=3)
    return middleware.ContextEditingMiddleware(edits=[edit], token_count_method="model")  # noqa: S106  # a method's name


def _deepagents(summarization: Any, dialogue: Dialogue, high: int) -> Run:
    with TemporaryDirectory() as folder:
        backend = import_module("deepagents.backends").FilesystemBackend(root_dir=folder, virtual_mode=True)
        return _agent(
            dialogue,
            lambda o: summarization.SummarizationMiddleware(
                model=o,
                backend=backend,
                trigger=("tokens", high),
                keep=("messages", 6),
                trim_tokens_to_summarize=None,
                token_counter=exact,
            ),
        )


def _agent(dialogue: Dialogue, made: Callable[[Oracle], Any]) -> Run:
    """Lead a dialogue through LangChain's own agent loop with one middleware."""
    agents, middleware = import_module("langchain.agents"), import_module("langchain.agents.middleware")
    log = dialogue.messages()
    results = {m.tool_call_id: m for m in log if isinstance(m, ToolMessage)}
    oracle = Oracle(values=dialogue.values)
    model = Recorded(answers=[m for m in log if isinstance(m, AIMessage)])
    summaries: list[list[int]] = []
    agent = agents.create_agent(
        model,
        tools=dialogue.tools,
        system_prompt=dialogue.system,
        middleware=[made(oracle), middleware.wrap_tool_call(lambda call, _: results[call.tool_call["id"]])],
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": dialogue.name}, "recursion_limit": 50}
    for turn in dialogue.turns:
        known = len(model.seen)
        oracle.seen.clear()
        agent.invoke({"messages": [HumanMessage(turn.user)]}, config)
        summaries += [list(oracle.seen), *([[]] * (len(model.seen) - known - 1))]
    return _run(dialogue, model.seen, [sum(made) for made in summaries])


def _trimmed(dialogue: Dialogue, high: int, **options: Any) -> Run:
    asked = [
        trim_messages(
            [SystemMessage(dialogue.system), *log],
            max_tokens=high,
            token_counter=exact,
            include_system=True,
            **options,
        )
        for log in _logs(dialogue)
    ]
    return _run(dialogue, asked, [0] * len(asked))


def _langmem(langmem: Any, dialogue: Dialogue, high: int) -> Run:
    oracle = Oracle(values=dialogue.values)
    running, asked, summaries = None, [], []
    for log in _logs(dialogue):
        oracle.seen.clear()
        done = langmem.summarize_messages(
            log,
            running_summary=running,
            model=oracle,
            max_tokens=high,
            max_tokens_before_summary=high // 2,
            token_counter=exact,
        )
        running = done.running_summary
        asked.append([SystemMessage(dialogue.system), *done.messages])
        summaries.append(sum(oracle.seen))
    return _run(dialogue, asked, summaries)


def _logs(dialogue: Dialogue) -> list[list[BaseMessage]]:
    log = dialogue.messages()
    return [log[:p] for p, message in enumerate(log) if isinstance(message, AIMessage)]


def _run(dialogue: Dialogue, asked: Sequence[Sequence[BaseMessage]], summaries: Sequence[int]) -> Run:
    run = Run()
    for messages, uncached in zip(asked, summaries, strict=True):
        run.requests.append(replace(request(messages, dialogue.tools), extra_uncached=uncached))
        run.windows.append(list(messages))
        run.invalid += any(not problem.startswith(SYSTEM_RULE) for problem in problems(messages))
    run.sent = [len(log) for log in _logs(dialogue)]
    return run
