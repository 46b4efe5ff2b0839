"""Completing a follow-up from the conversation, by rules."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import rjieba

from nodes.followups import elliptic_rest, needs_history
from nodes.intents import means
from nodes.language import language
from nodes.phrases import NOT_FOUND
from nodes.window.tokens import HAN
from nodes.words import content_words, words
from store.lexical import normalize

Turn = tuple[str, str]
"""Role (``user`` or ``assistant``) and text."""

_LOOK_BACK = 4
"""Turns that are searched for the topic."""
_FROM_ANSWER = 6
"""Content words that are taken over from the answer."""

_CITATION = re.compile(r"\s*\[[^\[\]\s]+#\d+\]")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class Completed:
    """A question that needs nothing of the conversation.

    Attributes:
        text: the question.
        reason: why it was completed (see `needs_history`), else ``stands alone``.
    """

    text: str
    reason: str


def complete(question: str, history: Sequence[Turn]) -> Completed:
    """Complete a follow-up by what the conversation was about; a question that stands alone stays as it is.

    Args:
        question: the newest user message.
        history: the turns before it, oldest first.
    """
    reason = needs_history(question)
    text = with_topic(question, history) if reason else question
    return Completed(text, reason if text != question else "stands alone")


def with_topic(question: str, history: Sequence[Turn]) -> str:
    """Add what the conversation was about to a question, whether or not it seems to need that.

    An elliptic question takes the place of what it contrasts with in the one before; any other has
    the content words of that one, and of the beginning of its answer, in front.

    Args:
        question: the newest user message.
        history: the turns before it, oldest first.

    Returns:
        The question itself when nothing was asked before it.
    """
    recent = history[-2 * _LOOK_BACK :]
    place = _asked(recent)
    if place < 0:
        return question
    before = complete(recent[place][1], recent[:place]).text
    rest = elliptic_rest(question)
    if rest and (swapped := _swap(rest, before)):
        return swapped
    gap = "：" if language(f"{before}{question}") == "zh" else ": "
    topic = [_phrase(before), *([] if rest else _answered(recent[place:], f"{before} {question}"))]
    return f"{' '.join(topic)}{gap}{question.strip()}"


def _asked(history: Sequence[Turn]) -> int:
    """Return the place of the newest earlier question, -1 where there is none."""
    asked = (n for n, (role, text) in enumerate(history) if role == "user" and not means(text, "smalltalk"))
    return max(asked, default=-1)


def _swap(rest: str, before: str) -> str:
    """Put the new term in the place of the old one: the one that ends alike (月付 for 年付), else the first.

    In Chinese, what a question is about comes first; in other languages nothing is swapped.
    """
    new = _phrase(rest)
    old = [w for w in words(before) if HAN.match(w) and content_words(w) and w not in new]
    if not new or not old:
        return ""
    alike = next((w for w in old if len(w) > 1 and w[-1] == new[-1]), "")
    place = alike or (old[0] if _is_verb(old[0]) == _is_verb(new) else "")
    return normalize(before).replace(place, new, 1) if place else ""


def _is_verb(word: str) -> bool:
    return any(tag == "v" for _, tag in rjieba.tag(word))


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


def _answered(history: Sequence[Turn], known: str) -> list[str]:
    """Return the first content words of an answer's first statement that are not known yet.

    That nothing was found says nothing of the topic.

    Args:
        history: the question, and what was said since.
        known: words that need not be said again.
    """
    answer = next((text for role, text in history if role == "assistant"), "")
    if answer in NOT_FOUND.values():
        return []
    lines = [_LIST_MARK.sub("", _CITATION.sub("", line)).strip() for line in answer.splitlines()]
    statement = next((line for line in lines if line and not line.endswith((":", "："))), "")
    seen = set(content_words(known))
    fresh = [w for w in words(statement) if content_words(w) and not seen & {*content_words(w)}]
    return list(dict.fromkeys(fresh))[:_FROM_ANSWER]
