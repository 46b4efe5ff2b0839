"""Follow-up questions: telling them from those that stand alone, and completing them from the conversation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.language import language
from nodes.lexicon import lexicon
from nodes.talk import is_small_talk
from nodes.window.tokens import HAN
from nodes.words import content_words, words
from store.lexical import normalize

Turn = tuple[str, str]
"""Role (``user`` or ``assistant``) and text."""

_LOOK_BACK = 4
_SHORT = 3
_LIGHT = lexicon("light")

_ELLIPSIS = re.compile(
    r"^\s*(?:那么?|如果|要是|假如|然后)?(?P<zh>[^，。？！?!,]{1,14}?)(?:的话)?呢\s*[?？]?\s*$"
    r"|^\s*那么?(?P<then>[^，。？！?!,个种些边里儿]{1,8})\s*[?？]?\s*$"
    r"|^\s*(?:and|what about|how about|what if|same (?:for|with))\b\s*(?P<en>.*?)\s*\??\s*$",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"它|这个|那个|这种|那种|这些|那些|这期间|这里|那里|上面|刚才|前面|上述|该(?=[^应不])|还是不[行能可]|也一样|没反应"
    r"|\b(?:it|its|they|them|these|those|ones?|there)\b(?!['’]s\b| (?:is|are|was|a|any)\b)"
    r"|\b(?:that|this)\b(?=\s*(?:[?.!,]|$|later|again|too|now|either|cost|work|take|mean|help|include|apply|happen))"
    r"|\b(?:do|did|does|is|for|about|of|with|like|after|before) (?:that|this)\b",
    re.IGNORECASE,
)
_ASKS_BARE = re.compile(
    r"^\s*(?:why|how|where|when|how (?:long|much|many|often)|for how long|为什么|为啥|怎么\w?|多久|多少钱?|在哪里?)\s*[?？]?\s*$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[「“\"`]([^「」“”\"`]{2,20})[」”\"`]")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{2,}")


@dataclass(frozen=True, slots=True)
class Completed:
    """A question that needs nothing of the conversation.

    Attributes:
        text: the question.
        reason: ``ellipsis``, ``reference`` or ``no topic`` when it was completed; else ``stands alone``.
    """

    text: str
    reason: str


def needs_history(question: str) -> str:
    """Tell why a question is understood only with the conversation before it; empty when it stands alone.

    Args:
        question: the newest user message.
    """
    topic = [w for w in content_words(question) if w not in _LIGHT]
    if is_small_talk(question):
        return ""
    if len(topic) <= _SHORT and (rest := _rest(question)) and not _asks_whole(rest):
        return "ellipsis"
    back = _POINTS_BACK.search(question)
    if back and len(topic) <= _SHORT and len(content_words(question[: back.start()])) < 2:  # noqa: PLR2004 - two name an antecedent
        return "reference"
    return "no topic" if len(topic) <= 1 or _ASKS_BARE.match(question) else ""


def complete(question: str, history: Sequence[Turn]) -> Completed:
    """Complete a follow-up by what the conversation was about; a question that stands alone stays as it is.

    Args:
        question: the newest user message.
        history: the turns before it, oldest first.
    """
    reason = needs_history(question)
    before = _previous(history[-2 * _LOOK_BACK :]) if reason else ""
    if not before:
        return Completed(question, "stands alone")
    if reason == "ellipsis" and (swapped := _swap(_rest(question), before)):
        return Completed(swapped, reason)
    topic = _phrase(before)
    named = [n for n in _named(history) if n.lower() not in f"{topic} {question}".lower()]
    gap = "：" if language(f"{before}{question}") == "zh" else ": "
    return Completed(f"{' '.join([topic, *named])}{gap}{question.strip()}", reason)


def _rest(question: str) -> str:
    """Return what an elliptic question names (月付 of 「那月付的呢」); empty when it has not that form."""
    match = _ELLIPSIS.match(question)
    return next((g for g in match.groups() if g), "") if match else ""


def _asks_whole(rest: str) -> bool:
    """Tell whether what looks elliptic holds a whole question of its own (「那怎么改密码呢」)."""
    topic = [w for w in content_words(rest) if w not in _LIGHT]
    return len(topic) > 1 and bool(
        re.search(r"怎么|如何|什么|哪|多少|\b(?:how|where|what|why)\b", rest, re.IGNORECASE)
    )


def _previous(history: Sequence[Turn]) -> str:
    """Return the newest earlier question that says what it is about, itself completed."""
    for n in range(len(history) - 1, -1, -1):
        role, text = history[n]
        if role == "user" and not is_small_talk(text):
            return complete(text, history[:n]).text
    return ""


def _swap(question: str, before: str) -> str:
    """Put the new term in the place of the old one that it resembles (月付 for 年付, sharing an end)."""
    new = [w for w in words(question) if content_words(w)]
    if not new:
        return ""
    old = next((w for w in words(before) if w not in new and _alike(w, new[0])), "")
    return before.replace(old, new[0], 1) if old else ""


def _alike(one: str, other: str) -> bool:
    return bool(HAN.match(one) and HAN.match(other)) and len(one) == len(other) > 1 and one[-1] == other[-1]


def _phrase(question: str) -> str:
    """Return the content words of a question, those that stand side by side in Chinese unseparated."""
    kept, last = "", 0
    question = normalize(question)
    for word in words(question):
        at = question.find(word, last)
        if content_words(word) and at >= 0:
            side_by_side = at == last and kept and HAN.match(word)
            kept += ("" if side_by_side or not kept else " ") + question[at : at + len(word)]
        last = max(last, at + len(word)) if at >= 0 else last
    return kept


def _named(history: Sequence[Turn]) -> list[str]:
    """Return what the newest answer names: at most three quoted terms or, in Chinese, Latin names."""
    answer = next((text for role, text in reversed(history) if role == "assistant"), "")[:200]
    answer = re.sub(r"\[[^\[\]\s]+#\d+\]", "", answer)
    found = _NAMED.findall(answer)
    if language(answer) == "zh":
        found += _CODE.findall(answer)
    return list(dict.fromkeys(found))[:3]
