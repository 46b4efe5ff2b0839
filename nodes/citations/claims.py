"""Which sentences of an answer state facts, and which only frame them."""

import re

from nodes.citations.markers import cited_ids, strip_citations
from nodes.citations.numerals import in_digits
from nodes.citations.polarity import supposes
from nodes.citations.quantities import codes, quantities
from nodes.citations.sentences import without_bullet
from nodes.questions import asks
from nodes.words import content_words

_NO_SENTENCE = re.compile(r"\s*(?:#{1,6}\s.*|[\s|:*_=-]*|`{3}.*|~{3}.*)\Z", re.DOTALL)
_FENCED = re.compile(r"\s*(?:`{3}|~{3})")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_ASKS = re.compile(r"[?？]\W*\Z|[吗呢]\W*\Z")
_LEADS_IN = re.compile(r"[:：]\W*\Z")
_OPENING = re.compile(
    r"\A\W*(?:很遗憾|i(?:'m| am) afraid\b|(?:您?你?好|嗨|哈喽|感谢|谢谢|多谢|不客气|(?:很|非常)?抱歉|对不起|不好意思|好的|明白了?|没问题|再见"
    r"|hi\b|hello\b|dear\b|thanks?\b|thank you|you'?re welcome|sorry\b|i(?:'m| am) (?:sorry|happy|glad|here))[^，,。.！!]*)[，,。.！!]?\s*",
    re.IGNORECASE,
)
"""A greeting, thanks or regret, which may stand in front of a fact."""
_COURTESY = re.compile(
    r"\A\W*(?:"
    r"希望|祝|请放心|随时|欢迎|(?:如果?|若)(?:您|你)?(?:还有|仍有|需要|想|愿意)"
    r"|(?:我|这边)(?:可以|来|马上|这就|将|会)?(?:帮|为|替|给)(?:您|你)|请(?:告诉|问|联系我)"
    r"|unfortunately, i\b|i hope|hope\b|glad to|feel free|(?:just |please )?(?:let me know|tell me|ask\b)|let me\b|i(?:'ll| will| can| could) (?:pass|transfer|hand|connect|help|put)"
    r"|if you (?:have|need|want|would like|prefer|still)\b.*\b(?:question|help|let me|ask|person|agent|human|tell me|know)|(?:sure|certainly|of course|great question|good question|all right|okay|ok)\W*\Z"
    r")",
    re.IGNORECASE,
)
_SOURCE = r"(?:帮助中心|帮助文档|知识库|文档|资料|文章|段落|help cent(?:er|re)|documentation|articles?|passages?|information|knowledge base)"
_NOT_COVERED = re.compile(
    rf"{_SOURCE}.{{0,12}}(?:没有|未|找不到|查不到|不包含)|(?:没有|未能?|找不到|查不到|没)(?:在)?.{{0,8}}{_SOURCE}.{{0,12}}(?:找|查|提|写|看|说|涉)"
    rf"|\b{_SOURCE}\b.{{0,20}}\b(?:not|no|nothing)\b|n't\b.{{0,40}}\b{_SOURCE}\b|{_SOURCE}.{{0,20}}n't\b|\b(?:no|not|nothing)\b.{{0,30}}\b{_SOURCE}\b",
    re.IGNORECASE,
)


_FRAMES = re.compile(
    r"问|想|了解|咨询|关于|\b(?:ask\w*|want|wonder\w*|about|questions?|regarding)\b", re.IGNORECASE
)
_CLAUSES = re.compile(r"(?<=[，,。；;？?！!\n])")
_DEEDS = "(?:完成|提交|办理|办(?!理)|处理|申请|退款|退还|重开|取消|发送|转接|更正|修改|创建|开通|删除)"
_ACTED = re.compile(
    r"(?:已经?|成功)(?:为|帮|替|给)(?:您|你)|我们?(?:这边)?已经?[将把]|(?:我|这边)(?:已经?)?(?:为|帮|替|给)(?:您|你)[^，。]{0,12}了"
    rf"|已经?(?:成功)?{_DEEDS}(?!后|之后|的|前)"
    rf"|{_DEEDS}(?:好|完|成功)了(?!后|之后|的|前|吗)|{_DEEDS}了(?=\W*\Z)"
    r"|\b(?:i|we)(?:'ve| have)\s+(?:\w+ly\s+|already\s+|just\s+)?\w+ed\b|\b(?:i|we) (?:just|already|now) \w+ed\b"
    r"|\byour\b[^,.;]{1,40}\b(?:was|were|has been|have been|is now) \w+ed\b"
    r"|\A\W*(?:all )?(?:done|finished)\b|\A\W*(?:ok(?:ay)?|sure|all right)\W+\w+ed\W*\Z",
    re.IGNORECASE,
)
"""Words that report something as done for this user, which no article can know."""


def reports_action(sentence: str) -> bool:
    """Tell whether a sentence reports that something was done for the user; a condition ("once …") does not.

    Args:
        sentence: one sentence of an answer.
    """
    return bool(_ACTED.search(sentence)) and not supposes(without_bullet(sentence))


def makes_claim(sentence: str, question: str | None = None) -> bool:
    """Tell whether a sentence states a fact that needs a source.

    Greetings, offers, questions back, lead-ins that end with a colon, headings, code that names no source and "the
    help centre does not cover this" state none, unless a number or a code is in them that the question did not bring.

    Args:
        sentence: one sentence of an answer.
        question: what was asked.
    """
    text = strip_citations(sentence)
    if _NO_SENTENCE.fullmatch(text):
        return bool(_FENCED.match(text) and cited_ids(sentence))
    if asserts(text, question or ""):
        return True
    text = _OPENING.sub("", text, count=1)
    return bool(content_words(text)) and not any(
        pattern.search(text) for pattern in (_ASKS, _LEADS_IN, _COURTESY, _NOT_COVERED)
    )


def asserts(text: str, question: str) -> bool:
    """Tell whether a sentence has what is a fact in whatever form: a figure that the question did not bring, or a deed."""
    return brings_figures(text, question) or reports_action(text)


def denies_coverage(said: str) -> bool:
    """Tell whether a text says that the help centre does not cover what was asked."""
    return bool(_NOT_COVERED.search(said))


def introduces(sentence: str) -> bool:
    """Tell whether a sentence only leads to what follows: it ends with a colon, or is a heading."""
    return bool(_LEADS_IN.search(sentence) or _HEADING.match(sentence))


def restates(sentence: str, question: str) -> bool:
    """Tell whether a sentence only says what the user has said, or what was asked, without a new word.

    「支持比特币支付。」 has no other word than 「你们支持比特币支付吗」, and is an answer to it all the same.
    """
    said = set(content_words(strip_citations(sentence)))
    told = {word for clause in _CLAUSES.split(question) if not asks(clause) for word in content_words(clause)}
    return said <= told or bool(_FRAMES.search(sentence) and said <= set(content_words(question)))


def brings_figures(text: str, question: str) -> bool:
    """Tell whether a text has a number or a code that the question did not bring."""
    text, asked = in_digits(without_bullet(text)), in_digits(question)
    known = quantities(asked)
    new = [q for q in quantities(text) if q.text[:1].isdigit() and not any(q.same(other) for other in known)]
    return bool(new) or any(code.lower() not in asked.lower() for code in codes(text))
