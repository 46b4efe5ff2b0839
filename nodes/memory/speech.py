"""What kind of speech a clause is: only what users say of themselves, in earnest, can be remembered."""

import re

from nodes.memory.wording import persons

_QUOTED = re.compile(r"[“「『\"‘][^”」』\"’]*[”」』\"’]")
_BOUNDARY = re.compile(
    r"(?<=[。！？!?；;\n])\s*|(?<=[，])\s*|,\s*(?!\d)|(?<=[a-z)\d])\.\s+(?=[A-Z\"'])|\s+(?:but|and)\s+(?=I\b|we\b|my\b|our\b|don't\b|please\b)"
)
_SENTENCE = re.compile(r"(?<=[。！？!?；;\n])\s*|(?<=[a-z)\d])\.\s+(?=[A-Z\"'])")
_QUESTION = re.compile(
    r"[?？]\s*$|吗|呢\s*$|么\s*$|什么|怎么|怎样|如何|咋|哪|谁|多少|几[个天次点号]|是否|能否|可否|是不是|有没有|为什么|(\w)不\1"
    r"|^\W*(?:and |but |so |please )*(?:who|what|where|when|why|how|which|can|could|do|does|did|is|are|am|was|were|will|would|should|may|has|have)\b(?!n['’]t)",
    re.IGNORECASE,
)
_HYPOTHESIS = re.compile(
    r"如果|假如|要是|倘若|万一|假设|假使|比方|比如|譬如|可能|也许|大概|或许|说不定|打算|考虑|还没定|就好了|想象"
    r"|\b(?:if|suppose|supposing|imagine|assum\w+|let['’]?s say|in case|maybe|perhaps|might|would be|thinking (?:about|of)|hypothetically|what if|considering)\b",
    re.IGNORECASE,
)
_SARCASM = re.compile(
    r"可真|可太|真是太|太(?:棒|好|贴心|喜欢|感动)[^，。]*了?[，,]|最喜欢等|干脆|得了$|好家伙|行吧|呵呵"
    r"|\b(?:so great|how (?:thoughtful|nice|kind)|just love|oh,? i (?:adore|love)|wonderful|sure, you|never answer me at all)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"批准|审批|退款|打.{0,2}折|折扣|管理员|规则|提示词|忽略|权限|别人|其他人|所有人|任何人|不管谁|身份|密码|专票"
    r"|\b(?:approv\w*|refunds?|discount|administrator|admin|ignore|rules?|system prompt|everyone|everybody|other users?|permission)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:写着|写的是|写道|写了|提示|公告|弹窗|邮件里?说|文章里?说|合同写|手册|帮助中心|页面|系统|报错)"
    r"|\b(?:says?|reads?|states?|shows?|wrote|manual|popup|notice|article|help centre|error)\b",
    re.IGNORECASE,
)
_SELF_IS = re.compile(r"我(?:是|叫|姓|负责|担任)|\bi(?: am|['’]m)\b", re.IGNORECASE)
_SELF = re.compile(
    r"我|咱|本人|本公司|敝|\b(?:i|we|my|our|us|me|i['’]m|we['’]re|i['’]ve|we['’]ve)\b", re.IGNORECASE
)


def clauses(message: str) -> list[str]:
    """Split a message into clauses that are said in earnest; quotations and whatever frames them are left out.

    Args:
        message: what the user wrote.
    """
    kept: list[str] = []
    for sentence in _SENTENCE.split(message):
        quoted = _QUOTED.search(sentence)
        if not sentence.strip() or (quoted and (_REPORTED.search(sentence) or persons(sentence))):
            continue
        if _SARCASM.search(sentence) or is_hypothesis(sentence):
            continue
        kept += [
            clause.strip() for clause in _BOUNDARY.split(sentence) if clause and clause.strip(" ，,。.!！;；")
        ]
    return kept


def is_question(clause: str) -> bool:
    """Tell whether a clause asks."""
    return bool(_QUESTION.search(clause.strip()))


def is_hypothesis(text: str) -> bool:
    """Tell whether a statement only supposes something, or plans it."""
    return bool(_HYPOTHESIS.search(text))


def is_order(clause: str) -> bool:
    """Tell whether a clause tells the assistant what it may do, rather than how to talk to the user."""
    return bool(_ORDERS.search(clause))


def is_of_others(clause: str) -> bool:
    """Tell whether a clause is about somebody else."""
    if _SELF_IS.search(clause):
        return False
    return bool(persons(clause)) or bool(
        re.search(r"[他她]们?|别的|\b(?:others?|he|she|they|their|his|her|its)\b", clause, re.IGNORECASE)
    )


def is_of_self(clause: str) -> bool:
    """Tell whether a clause names the speaker."""
    return bool(_SELF.search(clause))


def is_own(clause: str) -> bool:
    """Tell whether a clause states something of the user's own."""
    return not is_question(clause) and not is_hypothesis(clause) and not is_of_others(clause)
