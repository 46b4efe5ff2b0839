"""What users ask of the memory itself in a conversation: what is known, forget this, forget everything."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.memory.phrases import CONFIRM
from nodes.memory.slots import PREFERENCES, PROFILE
from nodes.words import features
from store.memory import Memory

_SHOW = re.compile(
    r"^(?:请问|那|现在)?[你您]们?(?:还|都|现在)*(?:记得|知道|记住了?|记了|存了|保存了)(?:关于)?我的?(?:些|哪些|什么|多少)(?:信息|事|事情|东西|资料|内容|吗|呢)*$"
    r"|^(?:show|list|tell me) (?:me )?(?:what you (?:remember|know) about me|(?:all )?(?:of )?my memories)$"
    r"|^what (?:do|did|have) you (?:still )?(?:remember(?:ed)?|know|knew|stored?|saved?|learn(?:ed)?) about me$",
    re.IGNORECASE,
)
_FORGET = re.compile(
    r"^(?:请|麻烦|拜托|帮我|[你您]|可以|现在)*(?:把)?(?P<a>.{0,30}?)(?:都|全部|全)?(?:忘掉|忘了|忘记|遗忘|从记忆[里中]删(?:掉|除))(?P<b>.{0,30}?)(?:吧|好吗|谢谢)*$"
    r"|^(?:please |can you |could you |now )*(?:forget|delete from (?:your )?memory|erase from (?:your )?memory) (?P<c>.{1,60}?)(?: please| now| from (?:your )?memory)*$",
    re.IGNORECASE,
)
_MINE = re.compile(r"(?:有?关于?|和)?我(?:自己|本人)?的?|\b(?:about |of )?(?:me|my|mine)\b", re.IGNORECASE)
_ALL = re.compile(r"全部|所有|一切|全都|任何|\b(?:all|everything|anything|every)\b", re.IGNORECASE)
_STUFF = re.compile(
    r"[的了事]|信息|记忆|数据|资料|内容|记录|东西|事情|\b(?:the|that|you|know|remember|have|memor(?:y|ies)|data|information|info|about|of|records?)\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^(?:是的?|对|好的?|嗯|确认|确定|可以|没错|全?删(?:掉|除)?吧?|忘(?:掉|了)?吧?|yes|yeah|yep|ok(?:ay)?|sure|confirm(?:ed)?|do it|go ahead)(?:[，, ]*(?:请|确认|确定|全部|都|忘掉|删掉|删除|please|forget|delete|everything|it|all|do|the))*$",
    re.IGNORECASE,
)
_PRIVATE: dict[str, str] = {
    "address": r"地址|住址|住处|住在|address|where i live",
    "phone": r"电话|手机号?|号码|phone|number",
    "card": r"卡号|银行卡|card",
    "id": r"身份证|证件|\bid\b|passport",
    "password": r"密码|口令|password",
    "code": r"验证码|code",
    "key": r"密钥|key",
}
"""Kinds of private values and how they are called: they are in no memory, but in what was said."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that is asked of the memory; ``about`` says of what."""

    name: Literal["show", "forget", "ask forget all", "forget all"]
    about: str = ""


def memory_command(message: str, answered: str = "") -> Command | None:
    """Return what a message asks of the memory; mostly nothing.

    Args:
        message: what the user wrote.
        answered: the assistant's last answer; to the question whether to forget everything, a yes is a command.
    """
    said = unicodedata.normalize("NFKC", message).strip(" \t\n。.!！?？~，,")
    if answered in CONFIRM.values() and _YES.match(said):
        return Command("forget all")
    if _SHOW.match(said):
        return Command("show")
    match = _FORGET.match(said)
    if match is None:
        return None
    about = " ".join(part for part in match.groups() if part)
    if not _MINE.search(about) and not _ALL.search(about):
        return None  # 「忘记密码」 is a question, not a wish
    bare = _STUFF.sub("", _ALL.sub("", _MINE.sub("", about))).strip(" ,，")
    if bare:
        return (
            None if re.search(r"怎么|如何|办|\bhow\b", about) or "我忘" in said else Command("forget", bare)
        )
    return None if "我忘" in said else Command("ask forget all")


def concerned(about: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that a wish to forget means, and those that rest on the same words.

    Args:
        about: what is to be forgotten, as the user calls it.
        memories: all of the user's, superseded ones included.
    """
    asked = features(about) | {about.casefold()}
    meant = [memory for memory in memories if _means(asked, memory)]
    spans = {one.span for memory in meant for one in memory.evidence}
    values = {memory.value for memory in meant if len(memory.value) > 1 and memory.kind != "event"}
    return [
        memory
        for memory in memories
        if memory in meant
        or any(value in memory.text for value in values)
        or (memory.kind != "preference" and all(one.span in spans for one in memory.evidence))
    ]


def private_kinds(about: str) -> frozenset[str]:
    """Return the kinds of private values that a wish to forget names."""
    return frozenset(kind for kind, called in _PRIVATE.items() if re.search(called, about, re.IGNORECASE))


def _means(asked: frozenset[str], memory: Memory) -> bool:
    slot = next((one for one in (*PREFERENCES, *PROFILE) if one.name == memory.slot), None)
    labels = " ".join(slot.label.values()) if slot else memory.slot
    held = features(f"{labels} {memory.text} {memory.slot.replace('.', ' ').replace('_', ' ')}")
    words = {word for word in asked if word in held or word in f"{labels}{memory.text}".casefold()}
    return bool(words)


def hidden_words(memories: Sequence[Memory]) -> list[str]:
    """Return the words of the user on which forgotten memories rest; no window shows them from then on."""
    return sorted({one.span for memory in memories for one in memory.evidence if memory.kind != "fact"})
