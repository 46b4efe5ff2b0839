"""Turns that need no article: small talk, messages without a word, and what the help centre lacks."""

from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from nodes.answer import answer
from nodes.language import Language, language
from nodes.log import current_turn
from nodes.phrases import ASK_BACK, NOT_FOUND
from nodes.state import Context, Review, State


async def direct(state: State, runtime: Runtime[Context]) -> dict[str, object]:
    """Answer small talk with the model; ask back, without it, when the message holds no word.

    Raises:
        ModelError: the model fails.
    """
    if state["decision"]["answerable"]:
        return await answer(state, runtime)
    return {"messages": [say(state, ASK_BACK)]}


async def not_found(state: State) -> dict[str, object]:
    """Say that the help centre does not cover the question, and offer a person."""
    review = Review(sentences=0, supported=0, repaired=0, dropped=0, answered=False)
    return {"messages": [say(state, NOT_FOUND)], "review": review}


def say(state: State, phrase: dict[Language, str]) -> AIMessage:
    """Return a fixed phrase in the language of the question, as the turn's answer.

    Its id follows from the question's, so that a step that runs again does not say it twice.
    """
    question = current_turn(state["messages"])[0]
    return AIMessage(phrase[language(question.text)], id=str(uuid5(NAMESPACE_OID, f"{question.id} {phrase}")))
