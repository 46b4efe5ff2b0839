"""What users ask of the memory itself in a conversation: what is known, forget this, forget everything."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.memory.cues import only, says, without
from nodes.memory.named import called_own, named, without_names
from nodes.memory.phrases import CONFIRM
from nodes.words import content_words, features
from store.memory import Memory

_POLITE = r"(?:请问?|麻烦|拜托|帮我|给我|[你您]|可以|能|现在|那|以后|please |can you |could you |now |just )*"
_TAIL = r"(?:吧|好吗|可以吗|谢谢| please| now| thanks| from (?:your )?memory)*$"
_SHOW = re.compile(
    rf"^{_POLITE}们?(?:还|都|现在)*(?:记得|知道|记住了?|记了|存了|保存了)(?:关于)?(?:我的?)?(?:些|哪些|什么|多少)(?:信息|事|事情|东西|资料|内容|吗|呢)*$"
    rf"|^{_POLITE}(?:查看|看看|看一下|列出|列一下|显示|说说)(?:一下)?(?:[你您](?:对|关于)?)?我的(?:全部|所有)?记忆$"
    rf"|^{_POLITE}(?:show|list|tell me) (?:me )?(?:what you (?:remember|know) about me|(?:all )?(?:of )?my memories)$"
    r"|^what (?:do|did|have) you (?:still )?(?:remember(?:ed)?|know|knew|stored?|saved?|learn(?:ed)?) about me$",
    re.IGNORECASE,
)
_FORGET = re.compile(
    rf"^{_POLITE}(?P<object>把)?(?P<a>.{{0,30}}?)(?:都|全部|全)?(?:忘掉|忘了|忘记|遗忘|(?:别|不要|不用|不必)再?记(?:得|住|着|(?=我))|(?P<e>删除|删掉|删了|清空|清除|清掉|抹掉|抹去))(?P<b>.{{0,30}}?){_TAIL}"
    rf"|^{_POLITE}(?:forget|do(?:n['’]t| not) remember|stop remembering|(?P<x>delete|erase|clear|wipe|remove)) (?P<c>.{{1,60}}?){_TAIL}",
    re.IGNORECASE,
)
_MEMORY = re.compile(
    r"记忆|[你您](?:对我|还|都)*(?:记|知道|存|保存)|关于我|\bmemor(?:y|ies)\b|\byou (?:know|remember|have|saved|stored|learned)\b",
    re.IGNORECASE,
)
"""What has to be named where something is to be deleted, for a user may also mean the business's records."""
_MINE = re.compile(
    r"(?:有?关于?|和)?(?:对)?我们?(?:自己|本人|公司)?的?|\b(?:about |of )?(?:me|my|mine|our|us|i|we)\b|关于|\bthe\b.*\b(?:thing|issue|matter|business)\b",
    re.IGNORECASE,
)
_ALL = re.compile(r"全部|所有|一切|全都|任何|\b(?:all|everything|anything|every)\b", re.IGNORECASE)
_STUFF = re.compile(
    r"事情|[的了过事你您]|[那这]件|信息|记[住得]?忆?|知道|说|数据|资料|内容|记录|东西"
    r"|\b(?:the|that|what|you|know|remember|have|said|told|saved|stored|memor(?:y|ies)|data|information|info|about|of|records?|thing|issue|matter|from|your)\b",
    re.IGNORECASE,
)
_WHAT = re.compile(r"什么|哪[个种]|吗$|\bwhat\b|\bdo you\b", re.IGNORECASE)
_FORGOT = re.compile(
    r"怎么|如何|办|\bhow\b|我忘|^[你您](?!.*(?:吧|能|可以)).*忘了|(?:密码|口令|验证码)忘[了记]|忘[了记](?:我的?)?(?:密码|口令|验证码)",
    re.IGNORECASE,
)
"""Words of somebody who asks about forgetting, or tells of it."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that is asked of the memory; ``about`` says of what."""

    name: Literal["show", "forget", "ask forget all", "forget all", "keep all"]
    about: str = ""


def memory_command(message: str, answered: str = "") -> Command | None:
    """Return what a message asks of the memory; mostly nothing.

    Args:
        message: what the user wrote.
        answered: the assistant's last answer; to the question whether to forget everything, a yes or no is a command.
    """
    said = unicodedata.normalize("NFKC", message).strip(" \t\n。.!！?？~，,")
    if answered in CONFIRM.values() and only("yes", said, "beside yes or no"):
        return Command("forget all")
    if answered in CONFIRM.values() and only("no", said, "beside yes or no"):
        return Command("keep all")
    own = _asked_of_own(said)
    if own or _SHOW.match(said):
        return Command("show", own)
    return None if _FORGOT.search(said) else _wish_to_forget(said)


def _wish_to_forget(said: str) -> Command | None:
    match = _FORGET.match(said)
    if match is None or ((match["e"] or match["x"]) and not _MEMORY.search(said)):
        return None
    if not match["object"] and says("negation", match["a"] or ""):
        return None  # 「别忘了我的名字」
    about = " ".join(match[name] for name in "abc" if match[name])
    if not _MINE.search(about) and not _ALL.search(about):
        return None  # 「忘记密码」 is a question, not a wish
    bare = _STUFF.sub("", _ALL.sub("", _MINE.sub(_beside, about))).strip(" ,，")
    return Command("forget", " ".join(bare.split())) if bare else Command("ask forget all")


def _asked_of_own(said: str) -> str:
    """Return which thing a message asks the memory for, and for nothing else (「我叫什么名字」); empty when it does not.

    How to talk to the user, only the memory knows; for the rest it is asked where the message says so.
    """
    name = called_own(said) if _WHAT.search(said) else ""
    if not name or content_words(without("remember", without_names(said))):
        return ""
    preferred = any(slot.startswith("preference.") for slot in named(name))
    return name if preferred or says("remember", said) else ""


def _beside(found: re.Match[str]) -> str:
    """Return what a word for one's own leaves of a wish: the thing in "the … thing"."""
    return found.group() if " " in found.group() and found.group().lower().startswith("the ") else ""


def concerned(about: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that a wish to forget means, and those that rest on the same words.

    Args:
        about: what is to be forgotten, as the user calls it.
        memories: all of the user's, superseded ones included.
    """
    meant = _of_slots(named(about), without_names(about), memories) or _sharing(about, memories)
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
    """Return the kinds of private values that a wish to forget names: they are in no memory, but in what was said."""
    return frozenset(slot.removeprefix("private.") for slot in named(about) if slot.startswith("private."))


def _of_slots(slots: frozenset[str], beside: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories of named slots, and those that share a word with what was said beside the names."""
    held = [memory for memory in memories if memory.slot in slots]
    return held + [memory for memory in _sharing(beside, memories) if memory not in held] if held else []


def _sharing(said: str, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories in which a word of what was said occurs, or all of it."""
    asked, whole = features(said), said.strip().casefold()

    def held(memory: Memory) -> frozenset[str]:
        return features(f"{memory.text} {memory.slot.partition('.')[2].replace('_', ' ')}")

    return [m for m in memories if held(m) & asked or (whole and whole in m.text.casefold())]


def hidden_words(memories: Sequence[Memory]) -> list[str]:
    """Return the words of the user on which forgotten memories rest; no window shows them from then on."""
    return sorted({one.span for memory in memories for one in memory.evidence if memory.kind != "fact"})
