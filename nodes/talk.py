"""Small talk: greetings, thanks, goodbyes, questions about the assistant itself, wishes to remember."""

import re

from nodes.questions import asks
from nodes.words import content_words

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "remember",
            r"请?(?:记住|记一下|记得)|以后.*(?:不要|别|请|就|用)|\bremember\b|\bfrom now on\b|\bplease always\b",
        ),
        ("thanks", r"谢|感谢|辛苦|搞定|解决了|\bthank|\bthx\b|\bcheers\b|\bappreciate"),
        ("farewell", r"再见|拜拜|回见|\bbye\b|\bsee you\b"),
        (
            "identity",
            r"你(?:们)?(?:是|叫)(?:不是)?(?:谁|什么名字|机器人|真人|人工|AI)|\bwho (?:are|made) you|\bare you (?:a |an )?(?:bot|robot|human|real|ai|person)",
        ),
        (
            "greeting",
            r"你好|您好|在吗|在么|哈[喽罗]|早上好|下午好|晚上好|^嗨|\bhi\b|\bhello\b|\bhey\b|\bgood (?:morning|afternoon|evening)",
        ),
    )
)
_WORDS_BESIDE = 3
"""Content words that thanks or a greeting may have beside them (「上次的问题解决了」)."""


def talk_kind(message: str) -> str:
    """Name the kind of small talk that occurs in a message; ``other`` when none does."""
    return next((kind for kind, pattern in _KINDS if pattern.search(message)), "other")


def is_small_talk(message: str) -> bool:
    """Tell whether a message is small talk and nothing else: it asks nothing about the product.

    Args:
        message: what the user wrote.
    """
    kind = talk_kind(message)
    if kind in {"identity", "other"}:
        return kind == "identity" and len(content_words(message)) <= _WORDS_BESIDE
    beside = [w for w in content_words(message) if talk_kind(w) == "other"]
    if kind == "greeting":
        return not beside
    return not asks(message) and len(beside) <= _WORDS_BESIDE and not re.search(r"\d", message)
