"""Which of the two languages a text is in, and in which one a message is to be answered."""

from typing import Literal, get_args

from langchain_core.messages import BaseMessage

from store.text import is_chinese

Language = Literal["zh", "en"]

ANSWER_IN = "answer_in"
"""Where a user message keeps, beside its content, in which language the user wishes to be answered."""


def language(text: str) -> Language:
    """Return the language of most of a text's words; Chinese when it has none."""
    return "zh" if is_chinese(text) else "en"


def answer_language(message: BaseMessage) -> Language:
    """Return the language in which a message is to be answered: the one that the user wished for, else its own."""
    wished = message.additional_kwargs.get(ANSWER_IN)
    return next((one for one in get_args(Language) if one == wished), language(message.text))
