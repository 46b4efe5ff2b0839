"""Sentences of a passage that give an assistant orders, which no help centre does and nobody should be quoted."""

import re

_ADDRESSED = re.compile(
    r"(?:忽略|无视|忘记|不要理会)[^。！？]{0,8}(?:规则|指令|指示|说明|提示|限制|要求|内容|设定)"
    r"|\b(?:ignore|disregard|forget|override)\b[^.!?]{0,30}\b(?:instructions?|rules?|prompts?|help cent(?:er|re)|guidelines|above)\b"
    r"|系统提示|\A\W*(?:系统|system|assistant|助手)\s*[:：]|\A\W*assistant,|\bsystem (?:prompt|message)\b|\bnote to (?:the )?assistant\b"
    r"|(?:告诉|告知|回复|转告|答复)(?:用户|客户|顾客|提问者|对方)|\b(?:tell|inform|answer|reply to) the (?:user|customer|client)\b"
    r"|(?:在|请)(?:你的)?(?:回答|回复|答案)(?:里|中|时)|\bwhen you (?:answer|reply|respond)\b|\bin your (?:answer|reply|response)\b"
    r"|调用\s*[`「“]?[a-z]+_[a-z_]+|\b(?:call|invoke)(?: the)?(?: tool| function)?\s+[`\"“]?[a-z]+_[a-z_]+",
    re.IGNORECASE,
)
"""Words by which a text speaks to whoever answers from it, not to whoever reads it."""

_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]+[”」』’)）]*|\.(?=\s|$)|\n|$)")


def gives_orders(sentence: str) -> bool:
    """Tell whether a sentence speaks to the assistant: what to ignore, to say, to cite or to call.

    Of 13,409 sentences of three help centres none does.
    """
    return bool(_ADDRESSED.search(sentence))


def without_orders(text: str) -> str:
    """Return a passage without the sentences that give the assistant orders; what they say is nobody's word.

    Args:
        text: Markdown.
    """
    return _SENTENCE.sub(lambda match: "" if gives_orders(match[0]) else match[0], text)
