"""Telling a follow-up, which is understood only with the conversation before it, from a question that stands alone."""

import re

import rjieba

from nodes.intents import means
from nodes.lexicon import lexicon
from nodes.window.tokens import HAN
from nodes.words import content_words

_SHORT = 3
"""Content words of a message that may lack its topic."""
_LONG = 6
"""The same of one with a pronoun in it."""
_ANTECEDENT = 2
"""Content words in front of a pronoun that may be what it stands for."""
_LIGHT = lexicon("light")

_ELLIPSIS = re.compile(
    r"^\s*(?:那么?|如果|要是|假如|然后)?(?P<zh>[^，。？！?!,]{1,14}?)(?:的话)?呢\s*[?？]?\s*$"
    r"|^\s*那么?(?P<then>[^，。？！?!,个种些边里儿]{1,8})\s*[?？]?\s*$"
    r"|^\s*(?:and|what about|how about|what if|same (?:for|with))\b\s*(?P<en>.*?)\s*\??\s*$",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"它|(?<!们)(?:这个|那个)(?![月周年]|星期|季度|时候)|这种|那种|这些|那些|这期间|这里|那里|该(?=[^应不])"
    r"|\b(?:it|its|he|she|they|them|these|those|ones?|others?|nobody)\b(?!['’]s\b| (?:is|are|was|a|any)\b)"
    r"|\b(?:they|he|she|it) (?:is|are|was)\b|^it['’]s\b"
    r"|\b(?:that|this)\b(?=\s*(?:[?.!,]|$|later|again|too|now|either|cost|work|take|mean|help|include|apply|happen))"
    r"|\b(?:do|did|does|is|for|about|of|with|like|after|before) (?:that|this)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"上面|刚才|前面(?=[说提讲])|上述|你[刚说]|\byou (?:said|mentioned)\b|\bmentioned above\b", re.IGNORECASE
)
_CONTINUES = re.compile(
    r"^\s*我?(?:已经|刚|又|再|还(?![有款])|也|就|才|只[能有会]|被|会(?=[^员议计话]{1,6}吗)|\w[完过]|\w{1,2}了(?:之后|以后|后))"
    r"|\b(?:afterwards|still|again|as well)\b",
    re.IGNORECASE,
)
_ASKS_HOW = re.compile(r"怎么|怎样|如何|\bhow (?:do|can|to|could|should)\b", re.IGNORECASE)
_ASKS_BARE = re.compile(
    r"^\s*(?:why|how|where|when|how (?:long|much|many|often)|for how long|为什么|为啥|怎么\w?|多久|多少钱?|在哪里?)\s*[?？]?\s*$",
    re.IGNORECASE,
)


def needs_history(question: str) -> str:
    """Tell why a question is understood only with the conversation before it; empty when it stands alone.

    Args:
        question: the newest user message.
    """
    topic = [w for w in content_words(question) if w not in _LIGHT]
    if len(topic) <= _SHORT and (rest := elliptic_rest(question)) and not _asks_whole(rest):
        return "ellipsis"
    if _refers(question, len(topic)):
        return "reference"
    if means(question, "smalltalk"):
        return ""
    if len(topic) < _SHORT and _CONTINUES.search(question) and not _ASKS_HOW.search(question):
        return "continuation"
    whole = bool(_ASKS_HOW.search(question)) and (len(content_words(question)) > 1 or _has_noun(question))
    return "no topic" if (len(topic) <= 1 and not whole) or _ASKS_BARE.match(question) else ""


def _has_noun(question: str) -> bool:
    return any(tag.startswith("n") for word, tag in rjieba.tag(question) if HAN.match(word))


def _refers(question: str, topic: int) -> bool:
    """Tell whether a message points at something that it does not name itself."""
    if _REFERS.search(question):
        return True
    back = _POINTS_BACK.search(question)
    if back is None or topic > _LONG:
        return False
    return len(content_words(question[: back.start()])) < _ANTECEDENT


def elliptic_rest(question: str) -> str:
    """Return what an elliptic question names (月付 of 「那月付的呢」); empty when it has not that form."""
    match = _ELLIPSIS.match(question)
    return next((g for g in match.groups() if g), "") if match else ""


def _asks_whole(rest: str) -> bool:
    """Tell whether what looks elliptic holds a whole question of its own (「那怎么改密码呢」)."""
    topic = [w for w in content_words(rest) if w not in _LIGHT]
    return len(topic) > 1 and bool(
        re.search(r"怎么|如何|什么|哪|多少|\b(?:how|where|what|why)\b", rest, re.IGNORECASE)
    )
