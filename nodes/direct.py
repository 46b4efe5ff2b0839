"""What the product says itself, without a model: to messages without a word, and when it finds nothing."""

from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import AIMessage

from nodes.language import Language, answer_language
from nodes.log import current_turn
from nodes.phrases import ASK_BACK, NOT_FOUND
from nodes.state import Review, State

NOTHING_FOUND = Review(sentences=0, supported=0, repaired=0, dropped=0, open=[], answered=False)
"""The review of a turn in which no answer was found."""


async def ask_back(state: State) -> dict[str, object]:
    """Ask what a message without a word is about."""
    return {"messages": [say(state, ASK_BACK)]}


async def not_found(state: State) -> dict[str, object]:
    """Say that the help centre does not cover the question, and offer a person."""
    return {"messages": [say(state, NOT_FOUND)], "review": NOTHING_FOUND}


def say(state: State, phrase: dict[Language, str]) -> AIMessage:
    """Return a fixed phrase in the language of the answer, as the turn's answer.

    Its id follows from the question's, so that a step that runs again does not say it twice.
    """
    question = current_turn(state["messages"])[0]
    return AIMessage(
        phrase[answer_language(question)], id=str(uuid5(NAMESPACE_OID, f"{question.id} {phrase}"))
    )
