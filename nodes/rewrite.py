"""Rewriting a follow-up to a question that stands alone, before anything is searched for."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, Field

from nodes.current import split_current
from nodes.offline.rules import rule_for
from nodes.prompts import prompt
from nodes.standalone import complete
from nodes.state import NO_USAGE, Usage
from nodes.structured import structured

_TURNS = 6
_ANSWER_CHARS = 400
_LONGEST = 600


class StandaloneQuestion(BaseModel):
    """The user's newest message as a question that is understood without the conversation."""

    question: str = Field(
        description="The whole question, in the user's language; unchanged if it stands alone."
    )


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What is searched for.

    Attributes:
        text: the standalone question.
        changed: whether it differs from what the user wrote.
        reason: why it is as it is, for the record of the turn.
        usage: tokens of the model call, if there was one.
    """

    text: str
    changed: bool
    reason: str
    usage: Usage


async def rewrite(question: str, history: Sequence[BaseMessage], model: BaseChatModel) -> Rewritten:
    """Rewrite a question so that it needs nothing of the conversation.

    Without a history the model is not asked. An answer that is no usable question is replaced by the
    rules of `nodes.followups`.

    Args:
        question: the newest user message.
        history: what user and assistant said before it, oldest first.
        model: the model of internal calls.

    Raises:
        ModelError: the model fails.
    """
    if not history:
        return Rewritten(question, changed=False, reason="first message", usage=NO_USAGE)
    answer = await structured(model, StandaloneQuestion, rewrite_messages(question, history))
    text, usage = answer.parsed.question.strip() if answer.parsed else "", answer.usage
    if not text or len(text) > _LONGEST + len(question):
        done = complete(question, turns(history))
        return Rewritten(done.text, done.text != question, f"rules: {done.reason}", usage)
    changed = text != question.strip()
    return Rewritten(text, changed, "follow-up" if changed else "stands alone", usage)


def rewrite_messages(question: str, history: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the request for a standalone question: instructions, the last turns, the question.

    Args:
        question: the newest user message.
        history: what was said before it, oldest first.
    """
    said: list[BaseMessage] = [
        HumanMessage(text) if role == "user" else AIMessage(text[:_ANSWER_CHARS])
        for role, text in turns(history)[-_TURNS:]
    ]
    return [SystemMessage(prompt("rewrite")), *said, HumanMessage(question)]


def turns(history: Sequence[BaseMessage]) -> list[tuple[str, str]]:
    """Return (role, text) of what was said, oldest first."""
    return [
        ("user", split_current(m.text)[1].strip())
        if isinstance(m, HumanMessage)
        else ("assistant", m.text.strip())
        for m in history
        if isinstance(m, HumanMessage | AIMessage) and m.text.strip()
    ]


@rule_for(StandaloneQuestion)
def standalone_offline(messages: Sequence[BaseMessage]) -> StandaloneQuestion:
    """Fill the schema by rules from the same messages that a live model is sent."""
    *history, newest = [m for m in messages if not isinstance(m, SystemMessage)]
    return StandaloneQuestion(question=complete(split_current(newest.text)[1], turns(history)).text)
