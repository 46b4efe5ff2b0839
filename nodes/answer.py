"""Answering: the model is shown the window and speaks."""

from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from nodes.identity import run_context
from nodes.language import language
from nodes.models import chat_model, invoke, usage_of
from nodes.prompts import system_prompt
from nodes.state import Context, State
from store.resources import resources
from store.settings import Settings


async def answer(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Let the model answer from what the log holds.

    Raises:
        ModelError: the model fails; the user's message stays in the log.
    """
    settings = (await resources()).settings
    model = chat_model(settings, run_context(runtime).model)
    reply = await invoke(model, window(settings, state["messages"]))
    return {"messages": [reply], "usage": usage_of(reply)}


def window(settings: Settings, log: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages of one model call: the system prompt, then the log.

    The prompt is in the language of the thread's first message, so that it never changes within a thread.
    """
    first = next((message.text for message in log if isinstance(message, HumanMessage)), "")
    return [SystemMessage(system_prompt(settings, language(first))), *log]
