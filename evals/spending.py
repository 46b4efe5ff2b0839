"""What a run of a suite asks of chat models: calls and tokens, by model."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

Spent = dict[str, dict[str, int]]
"""Model → ``calls``, ``input`` and ``output`` tokens, and ``kept``: calls answered from kept replies."""


class Counter(BaseCallbackHandler):
    """Counts every chat model call under it."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: Spent = {}
        self._lock = Lock()

    def on_llm_end(self, response: LLMResult, **_: Any) -> None:
        """Count one call."""
        for generation in (one for several in response.generations for one in several):
            message = generation.message if isinstance(generation, ChatGeneration) else None
            if isinstance(message, AIMessage):
                self._count(message)

    def _count(self, message: AIMessage) -> None:
        name = str(message.response_metadata.get("model_name", "offline"))
        reported: dict[str, Any] = dict(message.usage_metadata or {})
        with self._lock:
            of = self.spent.setdefault(name, {"calls": 0, "input": 0, "output": 0, "kept": 0})
            of["calls"] += 1
            of["input"] += reported.get("input_tokens", 0)
            of["output"] += reported.get("output_tokens", 0)
            of["kept"] += "total_cost" in reported  # how langchain-core marks a reply out of its cache


_of_run: ContextVar[Counter | None] = ContextVar("_of_run", default=None)
_of_case: ContextVar[Counter | None] = ContextVar("_of_case", default=None)
for _counter in (_of_run, _of_case):
    register_configure_hook(_counter, inheritable=True)


def spending() -> AbstractContextManager[Spent]:
    """Count the calls of chat models inside, in every task that is started there."""
    return _counting(_of_run)


def counting() -> AbstractContextManager[Spent]:
    """Count the calls of one case, which count for the run that it belongs to as well."""
    return _counting(_of_case)


@contextmanager
def _counting(counter: ContextVar[Counter | None]) -> Iterator[Spent]:
    counted = Counter()
    token = counter.set(counted)
    try:
        yield counted.spent
    finally:
        counter.reset(token)
