"""What the product itself says to a user about the memory."""

from collections.abc import Sequence

from nodes.language import Language
from store.memory import Memory

CONFIRM: dict[Language, str] = {
    "zh": "我会忘掉关于您的全部记忆，无法恢复。确定吗？回复「确定」我就删除。",
    "en": "I will forget everything I remember about you; it cannot be undone. Are you sure? Reply “yes” and I will delete it.",
}
NOTED: dict[Language, str] = {
    "zh": "好的，记住了：\n{listed}",
    "en": "All right, I will remember:\n{listed}",
}
NOT_KEPT: dict[Language, str] = {
    "zh": "银行卡号、证件号、密码、电话号码、住址这类信息，我不会保存。",
    "en": "Card and identity numbers, passwords, phone numbers and home addresses are never kept.",
}
NOTHING: dict[Language, str] = {
    "zh": "我没有记住关于您的任何信息。",
    "en": "I remember nothing about you.",
}
NOT_KNOWN_OF_USER: dict[Language, str] = {
    "zh": "我没有记住您的{about}。",
    "en": "I have not remembered your {about}.",
}
SAID_HERE: dict[Language, str] = {
    "zh": "您在这次对话里说过：\n{listed}",
    "en": "You said in this conversation:\n{listed}",
}
TOLD: dict[Language, str] = {
    "zh": "我记得这些：\n{listed}\n\n要我忘掉哪一条，说「忘掉我的……」；要全部忘掉，说「忘掉我的全部信息」。",
    "en": "This is what I remember:\n{listed}\n\nTo have one forgotten, say “forget my …”; for all of it, “forget everything about me”.",
}
YET_UNREAD: dict[Language, str] = {
    "zh": "这次对话里新说的，等对话停一停才会整理进记忆。",
    "en": "What is new in this conversation is read for memories once it pauses.",
}
MORE: dict[Language, str] = {"zh": "（另有 {more} 条）", "en": "({more} more)"}
FORGOT: dict[Language, str] = {
    "zh": "已忘掉 {count} 条：\n{listed}\n在本次对话里说过的相关原话也不再使用。",
    "en": "Forgotten, {count} in all:\n{listed}\nWhat you said about it in this conversation is no longer used either.",
}
HIDDEN: dict[Language, str] = {
    "zh": "我的记忆里没有这一项；本次对话里出现过的已经隐去，不再使用。",
    "en": "It is not in my memory; where it was said in this conversation it is now hidden and no longer used.",
}
NOT_KNOWN: dict[Language, str] = {
    "zh": "我没有记住与「{about}」有关的信息，不需要忘掉什么。",
    "en": "I remember nothing about “{about}”, so there is nothing to forget.",
}
FORGOT_ALL: dict[Language, str] = {
    "zh": "已全部忘掉：{counts}。对话记录本身还在；要连同对话一起删除，请联系人工客服。",
    "en": "Everything is forgotten: {counts}. The conversations themselves remain; ask a person to delete those as well.",
}
KEPT: dict[Language, str] = {
    "zh": "好的，什么都没有忘掉。",
    "en": "All right, nothing was forgotten.",
}
NOBODY: dict[Language, str] = {
    "zh": "您没有登录，所以我没有、也不会记住关于您的任何信息。",
    "en": "You are not signed in, so I remember nothing about you.",
}

_MEASURE: dict[Language, str] = {"zh": "条", "en": ""}
_NONE: dict[Language, str] = {"zh": "没有任何记忆", "en": "there was nothing"}
_KINDS: dict[Language, dict[str, str]] = {
    "zh": {"preference": "偏好", "profile": "资料", "event": "事件", "fact": "结论", "reflection": "经验", "topic": "话题计数"},
    "en": {
        "preference": "preferences", "profile": "profile entries", "event": "events",
        "fact": "facts", "reflection": "lessons", "topic": "topic counts",
    },
}  # fmt: skip


def noted(texts: Sequence[str], written_in: Language, *, private: bool) -> str:
    """Return the answer to a request to remember; empty when nothing came of it.

    Args:
        texts: what is remembered.
        written_in: the language of the answer.
        private: whether something was said that is never kept.
    """
    listed = "\n".join(f"- {text}" for text in texts)
    said = [NOTED[written_in].format(listed=listed)] if texts else []
    return "\n\n".join([*said, *([NOT_KEPT[written_in]] if private else [])])


def told(
    memories: Sequence[Memory],
    lines: Sequence[str],
    written_in: Language,
    *,
    about: str = "",
    unread: bool = False,
    here: Sequence[str] = (),
) -> str:
    """Return the answer to the question what is known.

    Args:
        memories: all that the user asked for.
        lines: those of them that are listed.
        written_in: the language of the answer.
        about: what was asked for, as the user calls it; empty: everything.
        unread: whether something was said in this conversation, which is read when it pauses.
        here: what was said of it in this conversation, where nothing is remembered yet.
    """
    listed = [f"- {one}" for one in lines]
    if more := len(memories) - len(lines):
        listed.append(MORE[written_in].format(more=more))
    nothing = NOT_KNOWN_OF_USER[written_in].format(about=about) if about else NOTHING[written_in]
    if here:
        nothing = SAID_HERE[written_in].format(listed="\n".join(f"- {one}" for one in here))
    known = TOLD[written_in].format(listed="\n".join(listed)) if memories else nothing
    return "\n\n".join([known, *([YET_UNREAD[written_in]] if unread else [])])


def forgotten(about: str, gone: Sequence[Memory], written_in: Language, *, hidden: bool) -> str:
    """Return the answer to a wish to forget.

    Args:
        about: what was to be forgotten, as the user calls it.
        gone: the memories that were removed.
        written_in: the language of the answer.
        hidden: whether words of this conversation are hidden from now on.
    """
    if not gone:
        return (HIDDEN if hidden else NOT_KNOWN)[written_in].format(about=about)
    listed = "\n".join(dict.fromkeys(f"- {memory.text}" for memory in gone))
    return FORGOT[written_in].format(count=len(gone), listed=listed)


def counted(memories: Sequence[Memory], topics: int, written_in: Language) -> str:
    """Return how many memories of each kind there are, in words."""
    names = _KINDS[written_in]
    counts = {name: sum(memory.kind == kind for memory in memories) for kind, name in names.items()}
    counts[names["topic"]] = topics
    said = [f"{count} {_MEASURE[written_in]}{name}" for name, count in counts.items() if count]
    return ("、" if written_in == "zh" else ", ").join(said) or _NONE[written_in]
