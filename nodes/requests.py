"""What a message asks for beside the answer to one question: a comparison, everything, the own account, an action."""

import re

from nodes.person import wants_person

_COMPARES = re.compile(
    r"对比|比一比|比较(?=一下|下|.{1,12}[和与跟、])|(?:[和与跟]|之间).{1,20}(?:区别|差别|差异|不同(?!意|步)|一样(?:吗|么|不))"
    r"|(?:有|什么|啥|何)(?:区别|差别|差异)|有[什么啥何]{1,2}不同|不同在哪"
    r"|(?:哪[个种款一]{1,2}|谁).{0,3}(?:好|划算|便宜|贵|合适|适合|省|快)|比.{0,8}哪"
    r"|\bcompar(?:e[ds]?|ing|ison)\b|\bdifferences? between\b|\bwhat(?:'s| is| are) the differences?\b"
    r"|\bhow (?:do|does|is|are)\b.*\bdiffer(?:s|ent)?\b|\bversus\b|\bvs\b|\bpros and cons\b|\badvantages and disadvantages\b"
    r"|\b(?:better|cheaper|faster)\b.*\b(?:or|than)\b|\bwhich (?:one )?is (?:better|best|cheaper|faster)\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"(?:列出|列举|罗列|汇总|总结|整理|盘点|说明|介绍|告诉|讲).{0,20}(?:所有|全部|一切|每一?[条项个])"
    r"|(?:所有|全部|一切).{0,4}(?:关于|有关|相关|跟|与).{1,20}(?:告诉|列|讲|说|整理|总结)"
    r"|关于.{1,15}(?:全部|所有|一切|都).{0,6}(?:列|讲|说|告诉)"
    r"|\beverything (?:about|on|you (?:have|know) (?:on|about)|regarding|related to)\b"
    r"|\b(?:list|summari[sz]e|outline|give me|tell me)\b.{0,12}\b(?:all|every|each|full overview|complete overview)\b"
    r".*\b(?:about|on|regarding|concerning|related to|for|of)\b",
    re.IGNORECASE,
)
_MINE = r"(?:我(?:们)?(?:公司|名下|现在|目前|当前)?的?|本人的?)"
_RECORD = r"(?:套餐|订阅|会员|版本|席位|名额|账期|续费)"
_OWN = re.compile(
    rf"{_MINE}(?:是|用的是|买的是|属于)?(?:什么|哪[个种一]{{1,2}}){_RECORD}"
    rf"|{_MINE}.{{0,4}}{_RECORD}(?:还有|还剩|是|有|什么时候|几号|哪天|何时|多久).{{0,6}}(?:什么|哪|几|多少|到期|续费|过期)"
    rf"|{_MINE}(?:还有|还剩|有)(?:几|多少)个?{_RECORD}"
    rf"|{_MINE}.{{0,4}}{_RECORD}(?:什么时候|几号|哪天|何时)"
    r"|\b(?:which|what) (?:plan|subscription|tier|membership) (?:am|are|do) (?:i|we)\b"
    r"|\bwhat(?:'s| is) (?:my|our) (?:current )?(?:plan|subscription|tier|membership|billing cycle)\b"
    r"|\bwhen (?:does|do|will|is) (?:my|our) (?:plan|subscription|membership)\b"
    r"|\bhow many seats (?:does (?:my|our)|do (?:i|we))\b",
    re.IGNORECASE,
)


def _to_do(zh: str, en: str) -> re.Pattern[str]:
    """Compile what asks somebody to do a thing: an address, then the deed in the same clause, nothing told between."""
    return re.compile(
        rf"(?:[帮给替]我们?|麻烦[你您]?|请(?![问教]))(?:(?![看查问说释绍诉讲解])[^，。！？；!?;\n]){{0,40}}?(?:{zh})"
        r"(?=一下|下|吧|了|掉|行|可以|好|[吗么]|\W|$)"
        r"|\b(?:please|(?:can|could|would|will) you|(?:want|like) you to)\b"
        rf"(?:(?!\b(?:tell|explain|show|check|look|know|say|describe)\b)[^.!?;\n]){{0,40}}?\b{en}\b|^\W*{en} me\b",
        re.IGNORECASE,
    )


_REFUND = _to_do("退(?:一下|下)?[款钱费]", "refund")
_REISSUE = _to_do("重开|重新开|开[^，。]{0,3}发票", "reissue")
_HOW = re.compile(r"怎么|怎样|如何|能不能|可以.*[吗么]|\bhow (?:do|can|to)\b", re.IGNORECASE)


def compares(message: str) -> bool:
    """Tell whether a message asks how things differ, or which of them is better."""
    return bool(_COMPARES.search(message))


def wants_everything(message: str) -> bool:
    """Tell whether a message asks for all that there is on a subject."""
    return bool(_EVERYTHING.search(message))


def concerns_own_account(message: str) -> bool:
    """Tell whether a message asks what the business system knows of the user, not what an article says."""
    return bool(_OWN.search(message)) and not _HOW.search(message)


def wants_action(message: str) -> bool:
    """Tell whether a message wants something done, by the assistant or by a person, and not how it is done."""
    return wants_person(message) or bool(_REFUND.search(message) or _REISSUE.search(message))


def wants_refund(message: str) -> bool:
    """Tell whether a message wants a refund to be made, and not how refunds work."""
    return bool(_REFUND.search(message)) and not _HOW.search(message)
