"""Which of the two languages a text is in."""

import re
from typing import Literal

from nodes.window.tokens import HAN

Language = Literal["zh", "en"]

_WORD = re.compile(r"[A-Za-z]+")


def language(text: str) -> Language:
    """Tell Chinese from everything else by what there is more of: Han characters or Latin words.

    A word counts as much as one character, so that a Chinese question about an English name stays Chinese.

    Args:
        text: what somebody wrote; without letters it counts as Chinese, the product's first language.
    """
    return "zh" if len(HAN.findall(text)) >= len(_WORD.findall(text)) else "en"
