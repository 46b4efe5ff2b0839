"""Who wants to be passed to a person: the wish is general, the help centre answers questions about it.

A clause is a wish when it reaches out (transfer, talk, fetch) for a person of the staff, or names one and says nothing
else. It is none when it asks how, when or whether one has to, when it denies, when it tells of earlier contact, and
when it is a thing that is to be passed on.
After an offer to be passed on, a bare yes is a wish.
"""

import re

from nodes.questions import INTERROGATIVE, WH_WORD
from nodes.words import content_words
from store.lexical import fold

_STAFF_ZH = (
    r"(?:人工(?!\w{0,2}(?:修改|录入|输入|核对|填|改|记))(?:客服|服务|坐席|座席)?|真人|活人|专人|客服(?:人员|专员|同事)?|坐席|工作人员"
    r"|你们的?(?:人|同事)|(?:你们的?)?(?:经理|主管|负责人|领导)|(?<![别本个])人(?=来|跟|和|帮|处理|联系|给我))"
)
_STAFF_EN = (
    r"(?:humans?|(?:real |live |actual )persons?|person|people|(?:live |support |service |human )?(?:agents?|representatives?|reps?|operators?)"
    r"|managers?|supervisors?|someone|somebody|staff|customer (?:service|support|care)|support team)"
)
_REACH = re.compile(
    rf"(?:转接?|接[通入]?|找|叫|换|联系|安排|派|让|请|跟|和|与|要|想|有没有)(?:一[下个位]|个|位|成|到|给|回|通|直接|我)*.{{0,3}}{_STAFF_ZH}"
    rf"|\b(?:talk|speak|chat|transfer|connect|escalate|pass|put|get|have|need|want|like|call|contact|let)\b.{{0,30}}?\b{_STAFF_EN}\b"
    rf"|\b{_STAFF_EN}\b.{{0,20}}\b(?:(?:talk|speak|chat)\b|(?:call|contact|help) (?:me|us)\b)",
    re.IGNORECASE,
)
_NAMES = re.compile(rf"{_STAFF_ZH}|\b{_STAFF_EN}\b", re.IGNORECASE)
_NO_WISH = re.compile(
    # questions about it
    rf"{INTERROGATIVE}|几点|多久|电话|时间|工作日|周末|(?:需要|必须|要|收费|是|专属)[^，。]*[吗么]|还是(?=真人|人工)"
    rf"|\b(?:{WH_WORD}|hours?|does|are you|dedicated|phone number)\b"
    # a thing that is passed on, and people of the user's own
    r"|把.{1,12}转|我们(?:的)?(?:经理|主管|负责人|领导)|\b(?:transfer|pass|give) (?:my|our|the|an?)\b|\b(?:my|our) (?:managers?|supervisors?)\b"
    # denials
    r"|(?:不|别|没必要|无需)(?:用|要|想|需要|必)?.{0,4}(?:转|找|联系|人工)|\b(?:don['’]?t|do not|no need|not|never|without)\b"
    # earlier contact
    r"|(?:转|找|联系|问)(?:过|了)|(?:上次|昨天|之前|刚才|已经).{0,6}(?:转|找|联系|人工|客服)|(?:客服|人工)(?:说|告诉)"
    r"|\b(?:told|said|talked|spoke|yesterday|last time)\b",
    re.IGNORECASE,
)
_POLITE = re.compile(r"能不能|可不可以|可否|能否")
_CLAUSE = re.compile(r"[，。！？!?；;\n]+|(?<!\d)[,.](?!\d)|\bbut\b")
_YES = re.compile(
    r"^(?=.*\w)\W*(?:好[的吧呀啊嘞]?|可以|行[的吧]?|嗯+|对|是的?|要的?|需要|当然|转吧?|麻烦[你您]?了?|请转"
    r"|yes|yeah|yep|sure|ok(?:ay)?|please(?: do)?|go ahead|do (?:it|so|that)|\W)+(?:谢谢[你您]?|thanks?(?: you)?|\W)*$",
    re.IGNORECASE,
)


def wants_person(message: str, before: str = "") -> bool:
    """Tell whether a message asks to be passed to a person.

    Args:
        message: what the user wrote.
        before: what was said to the user just before.
    """
    if offers_person(before) and _YES.match(message):
        return True
    return any(_is_wish(clause) for clause in _CLAUSE.split(message) if clause and clause.strip())


def offers_person(said: str) -> bool:
    """Tell whether the last thing that was said is a question whether to pass the user to a person."""
    last = [clause for clause in re.split(r"(?<=[。！？!?.\n])", said.strip()) if clause.strip()]
    return bool(last) and last[-1].strip()[-1] in "?？吗" and bool(_NAMES.search(last[-1]))


def _is_wish(clause: str) -> bool:
    clause = _POLITE.sub("能", fold(clause))
    if _NO_WISH.search(clause):
        return False
    if _REACH.search(clause):
        return True
    return bool(_NAMES.search(clause)) and not content_words(_NAMES.sub(" ", clause))
