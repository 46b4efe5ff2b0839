"""What is said to a message that needs no help centre, in both languages."""

import re
from collections.abc import Mapping

from nodes.citations import cited_ids, split_sentences
from nodes.citations.claims import asserts
from nodes.intents import means
from nodes.language import Language
from nodes.memory.languages import switches

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("thanks", r"谢|感谢|辛苦|搞定|解决了|\bthank|\bthx\b|\bcheers\b|\bappreciate"),
        ("farewell", r"再见|拜拜|回见|\bbye\b|\bsee you\b"),
        (
            "identity",
            r"你(?:们)?(?:是|叫)(?:不是)?(?:谁|什么名字|机器人|真人|人工|AI)|\bwho (?:are|made) you|\bare you (?:a |an )?(?:bot|robot|human|real|ai|person)",
        ),
        (
            "upset",
            r"破(?:软件|东西|玩意|系统)|垃圾|[气烦]死|太[烂差]|差劲|无语|坑人|骗人|投诉|失望|没用|废物|\b(?:useless|terrible|awful|ridiculous|worst|crap|sucks?|rubbish|pathetic|unacceptable|fed up|angry|furious)\b",
        ),
        (
            "greeting",
            r"你好|您好|在吗|在么|哈[喽罗]|早上好|下午好|晚上好|^嗨|\bhi\b|\bhello\b|\bhey\b|\bgood (?:morning|afternoon|evening)",
        ),
    )
)
_TALK: Mapping[str, Mapping[Language, str]] = {
    "thanks": {
        "zh": "不客气！还有问题随时问我。",
        "en": "You're welcome! Just ask if anything else comes up.",
    },
    "farewell": {"zh": "再见，祝您一切顺利！", "en": "Goodbye, and all the best!"},
    "identity": {
        "zh": "我是{product}的客服助手，根据帮助中心的内容回答问题，并注明出处。",
        "en": "I am {product}'s support assistant. I answer from the help centre and name my sources.",
    },
    "upset": {
        "zh": "抱歉让您有这样的体验。请告诉我具体遇到了什么问题，我来查；要找人工客服，说「转人工」。",
        "en": "I am sorry about that. Tell me what went wrong and I will look it up, or say “talk to a person”.",
    },
    "remember": {"zh": "好的，明白了。", "en": "All right, understood."},
    "greeting": {
        "zh": "您好！我是{product}的客服助手，请问有什么可以帮您？",
        "en": "Hello! I am {product}'s support assistant. How can I help you?",
    },
    "other": {"zh": "我在。请告诉我您想了解什么。", "en": "I am here. What would you like to know?"},
}
_NAMELESS: Mapping[Language, tuple[str, str]] = {
    "zh": ("{product}的客服助手", "客服助手"),
    "en": ("{product}'s support assistant", "the support assistant"),
}


def is_mere_talk(said: str, message: str) -> bool:
    """Tell whether an answer to small talk needs no check: it says something, and cites, reckons and reports nothing.

    Args:
        said: what a model answered.
        message: what the user said.
    """
    return bool(said.strip()) and not (
        cited_ids(said) or any(asserts(sentence, message) for sentence in split_sentences(said))
    )


def talk(message: str, lang: Language, product: str) -> str:
    """Answer a message that needs no help centre, with the product's name where it is known.

    Args:
        message: what the user said.
        lang: the language to answer in.
        product: the product's name, or empty.
    """
    text = _TALK[_kind(message)][lang]
    if not product:
        return text.replace(*_NAMELESS[lang])
    return text.format(product=product)


def _kind(message: str) -> str:
    if switches(message) or means(message, "wish"):
        return "remember"
    return next((kind for kind, pattern in _KINDS if pattern.search(message)), "other")
