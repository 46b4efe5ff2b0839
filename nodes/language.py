"""Which of the two languages a text is in."""

from typing import Literal

from store.text import is_chinese

Language = Literal["zh", "en"]


def language(text: str) -> Language:
    """Return the language of most of a text's words; Chinese when it has none."""
    return "zh" if is_chinese(text) else "en"
