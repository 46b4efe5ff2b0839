"""Which way a message goes before anything is retrieved: the rules, all of them, in one place."""

import re

from nodes.log import current_turn, dialogue
from nodes.state import Decision, State

_SMALL_TALK = re.compile(
    r"""
    # greetings and farewells
    (?:你|您|大家)好[啊呀吗]?|哈[喽啰]|嗨|早(?:上好|安)?|[上中下]午好|晚[上安]好?|在(?:吗|么|不在)|有人(?:吗|在吗)?|再见|拜拜?
    |\b(?:hi|hiya|hello|hey|yo|good\s(?:morning|afternoon|evening|night|day)|bye|goodbye|see\s(?:you|ya)(?:\slater)?
      |anyone\s(?:there|here)|are\syou\s(?:there|here)|how\sare\syou(?:\sdoing)?|nice\sto\smeet\syou)\b
    # thanks and praise
    |(?:非常|十分|太|多)?(?:谢谢?|感谢|多谢|辛苦|麻烦)[你您]?[了啦]?|(?:真|太|好|很)?(?:棒|赞|厉害|不错|给力|贴心)[了的啊]?
    |\b(?:many\s)?(?:thanks?(?:\s(?:you|a\s(?:lot|bunch|million)))?|thank\s(?:you|u)|thx|ty|cheers)\b(?:\s(?:so|very)\smuch)?
    |\b(?:great|awesome|perfect|nice|cool|excellent|wonderful|lovely|brilliant|amazing|good\s(?:job|bot|work)|well\sdone)\b
    # acknowledgements, also that something is solved
    |好[的吧嘞呀滴]?|行[的吧]?|嗯+|哦+|噢+|明白了?|懂了|知道了?|了解了?|收到|可以了?|没(?:事|问题)了?|不用了
    |(?:上次|刚才|之前|昨天)?的?(?:那个)?(?:问题|事情?)?(?:都|也|已经)?(?:解决|搞定|弄好|处理好|好使)[了啦]|(?:没|没有)别的(?:问题|事)?了?
    |\b(?:ok(?:ay)?|alright|got\sit|understood|i\ssee|sure|yep|yes|yeah|no\sworries|never\s?mind|that(?:'s|\sis)\sall
      |(?:it|that|this|my\sproblem|the\sproblem|everything)(?:'s|\sis)?\s?(?:works?|worked|solved|fixed|sorted)(?:\snow|\sout)?
      |you(?:'re|\sare)\s(?:welcome|the\sbest|great|awesome))\b
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
_CONTENT = re.compile(r"[^\W\d_]")


async def route(state: State) -> dict[str, object]:
    """Decide the way of the turn before anything is retrieved."""
    return {"decision": decide(current_turn(state["messages"])[0].text, bool(dialogue(state["messages"])))}


def decide(message: str, has_history: bool = False) -> Decision:
    """Decide how a message is answered from what it is.

    ``direct`` is what no article could answer: small talk, and messages without a word, which are asked
    back. Everything else is ``fixed``: one retrieval and one call.

    Args:
        message: the newest user message.
        has_history: whether something was said before it.
    """
    if not _CONTENT.search(message):
        return Decision(route="direct", reason="no words", question="", confidence=None, answerable=False)
    if not _FILLER.sub("", _SMALL_TALK.sub(" ", message)):
        return Decision(route="direct", reason="small talk", question="", confidence=None, answerable=True)
    reason = "a question in a conversation" if has_history else "a question"
    return Decision(route="fixed", reason=reason, question=message, confidence=None, answerable=False)
