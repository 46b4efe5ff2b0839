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


_PHRASES = re.compile(
    r"""
    # greetings and farewells
    (?:你|您|大家)好[啊呀吗]?|哈[喽啰]|嗨|早(?:上好|安)?|[上中下]午好|晚[上安]好?|在(?:吗|么|不在)|有人(?:吗|在吗)?|再见|拜拜?
    |\b(?:hi|hiya|hello|hey|yo|good\s(?:morning|afternoon|evening|night|day)|bye|goodbye|see\s(?:you|ya)(?:\slater)?
      |anyone\s(?:there|here)|are\syou\s(?:there|here)|how\sare\syou(?:\sdoing)?|nice\sto\smeet\syou)\b
    # thanks and praise
    |(?:非常|十分|太|多)?(?:谢谢?|感谢|多谢|辛苦|麻烦)[你您]?[了啦]?|[你您]?(?:真|太|好|很)?(?:棒|赞|厉害|不错|给力|贴心|聪明|可爱|有用|幽默)[了的啊]?
    |\b(?:many\s)?(?:thanks?(?:\s(?:you|a\s(?:lot|bunch|million)))?|thank\s(?:you|u)|thx|ty|cheers)\b(?:\s(?:so|very)\smuch)?
    |\b(?:great|awesome|perfect|nice|cool|excellent|wonderful|lovely|brilliant|amazing|good\s(?:job|bot|work)|well\sdone)\b
    # acknowledgements, also that something is solved
    |好[的吧嘞呀滴]?|行[的吧]?|嗯+|哦+|噢+|明白了?|懂了|知道了?|了解了?|收到|可以了?|没(?:事|问题)了?|不用了
    |(?:上次|刚才|之前|昨天)?的?(?:那个)?(?:问题|事情?)?(?:都|也|已经)?(?:解决|搞定|弄好|处理好|好使)[了啦]|(?:没|没有)别的(?:问题|事)?了?
    |\b(?:ok(?:ay)?|alright|got\sit|understood|i\ssee|sure|yep|yes|yeah|no\sworries|never\s?mind|that(?:'s|\sis)\sall
      |(?:it|that|this|my\sproblem|the\sproblem|everything)(?:'s|\sis)?\s?(?:works?|worked|solved|fixed|sorted)(?:\snow|\sout)?
      |you(?:r\s(?:answers?|help))?(?:'re|\sare|\sis)\s(?:so\s|really\s|very\s)?(?:welcome|the\sbest|great|awesome|funny|smart|clever|helpful|kind|nice))\b
    # about the assistant itself, and the weather
    |[你您]是(?:谁|什么|机器人|真人|人工|ai|人)(?:还是(?:真人|机器人|人工|人|ai))?[吗么啊呀]?|[你您]叫什么(?:名字)?|谁(?:开发|做|创造)的?[了]?[你您]的?
    |今天天?气?(?:天气)?(?:真|很|好)?(?:不错|好|热|冷|糟)|\b(?:who|what)\s(?:are|made|built|created)\syou\b|\bare\syou\s(?:a\s)?(?:bot|robot|human|real|ai|person|(?:a\s)?real\sperson)\b
    |\bwhat(?:'s|\sis)\syour\sname\b|\b(?:nice|lovely|bad|hot|cold)\sweather(?:\stoday)?\b
    |哈{2,}|呵呵|嘻嘻|\b(?:ha(?:ha)+|lol|lmao)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Phrases that ask nothing of a help centre."""

_FILLER = re.compile(
    r"[\W_]+|[了啦啊呀呢吧哦嗯哈哇的还是真]|\b(?:a|an|the|and|so|very|much|really|for|your|you|my|me|all|it|now|today|help)\b",
    re.IGNORECASE,
)


def talk_kind(message: str) -> str:
    """Name the kind of small talk that occurs in a message; ``other`` when none does."""
    return next((kind for kind, pattern in _KINDS if pattern.search(message)), "other")


def is_small_talk(message: str) -> bool:
    """Tell whether a message is small talk and nothing else: it asks nothing about the product.

    Args:
        message: what the user wrote.
    """
    if re.search(r"[^\W\d_]", message) and not _FILLER.sub("", _PHRASES.sub(" ", message)):
        return True
    kind = talk_kind(message)
    if kind in {"identity", "other"}:
        return kind == "identity" and len(content_words(message)) <= _WORDS_BESIDE
    beside = [w for w in content_words(message) if talk_kind(w) == "other"]
    if kind == "greeting":
        return not beside
    return not asks(message) and len(beside) <= _WORDS_BESIDE and not re.search(r"\d", message)
