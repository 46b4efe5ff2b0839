r"""Values that must not be lost or changed: codes, numbers with units, dates, quoted names, terms of a contract.

The patterns are general forms in Chinese and English. Boundaries are ASCII look-arounds, for ``\b`` sees no
border between a Chinese character and a digit.
"""

import re
import unicodedata
from functools import lru_cache

UNITS = (
    r"个?工作日|个?小时|个?自然日|分钟|秒钟?|个月|季度|星期|[万亿]?元|块钱?|[万亿]|美元|欧元|日元|积分|"
    r"[件台张只次天日号月年周时点分人席位户笔单条项期倍折级楼层室页版遍轮家份箱包瓶盒套代角]|"
    r"(?:days?|hours?|minutes?|weeks?|months?|years?|seats?|users?|points?|times|dollars|yuan|"
    r"USD|CNY|RMB|EUR|GBP|[KMGT]i?B|ms|kg|km|cm|mm|pcs|percent)(?![A-Za-z])|[%％‰℃]"
)
HAN_NUMBER = r"[零〇一二两三四五六七八九十百千万亿]{1,24}"
STRONG_UNITS = r"个?工作日|个?小时|个月|[万亿]?元|块钱?|天|日|周|年|分钟|折|倍|人|席|次|个点"
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
DAY = r"(?:Mon|Tues?|Wednes|Thurs?|Fri|Satur|Sun)day"

BANKS = (
    "中国|工商|农业|建设|交通|招商|邮政储蓄|邮储|浦发|中信|光大|民生|兴业|平安|华夏|广发|浙商|渤海|恒丰|微众|网商|"
    "北京|上海|江苏|浙江|宁波|南京|杭州|成都|重庆|徽商|农村商业|城市商业|汇丰|渣打|花旗|东亚"
)

MAIL = r"(?<![\w.+-])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
DATE = (
    r"(?:\d{4}年)?\d{1,2}月\d{1,2}[日号]|\d{4}年(?:\d{1,2}月)?"
    rf"|{MONTH} ?\d{{1,2}}(?:st|nd|rd|th)?(?:, ?\d{{4}})?(?!\d)"
    rf"|(?<!\d)\d{{1,2}}(?:st|nd|rd|th)? {MONTH}(?: \d{{4}})?"
    r"|[上下本这]个?(?:周|星期|礼拜)[一二三四五六日天]|[上下本]个?月(?:初|底|\d{1,2}[日号])?"
    rf"|(?:next|last|this|by) (?:{DAY}|week|month)|明天|后天|tomorrow"
)
QUOTED = r"[「『“《][^「『“《」』”》\n]{1,24}[」』”》]|(?<![\w\"])\"[^\"\n{}\[\]:]{1,24}\"(?![\w\"])|`[^`\n]{1,40}`"
CODE = r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9#_-]*\d)[A-Za-z]+[A-Za-z0-9]*(?:[-_#][A-Za-z0-9]+)*"
DEADLINE = r"(?:之?[前内后]|以[内上下])?"
NUMBER = (
    r"(?:[¥￥$€£]|(?:USD|CNY|RMB) ?)?(?<![A-Za-z0-9_第])\d+(?:[.,:/_-]\d+)*(?:[-–~至到]\d+(?:\.\d+)?)?"
    rf" ?(?:{UNITS})?(?:[\d一二三四五六七八九十]*[点时分半](?:\d+分?)?)?{DEADLINE}"
)
WORDED = rf"{HAN_NUMBER}(?:{STRONG_UNITS}){DEADLINE}"
TERM = (
    rf"(?:{BANKS})银行|[工农中建交招]行(?!业)|[\u4e00-\u9fff]{{2}}(?<![新出改更换本原])版(?!本|权|面)"
    r"|(?:半年|[年月季])(?:付|缴|费)|按[年月季]|包[年月]|(?:[A-Z]\w+ )+Bank"
    r"|(?i:annual|monthly|quarterly|yearly)(?:ly)?"
    r"|(?:[A-Z][a-z]+|(?i:enterprise|pro|basic|free|team|business|standard)) (?i:plan|edition|tier)"
)
VALUE = re.compile(f"{MAIL}|{DATE}|{QUOTED}|{CODE}|{NUMBER}|{WORDED}|{TERM}")

REQUEST = (
    r"退款|退货|退订|换货|补发|开票|发票|取消|升级|降级|(?<!手)续费|解约|价保|赔付|投诉|改签|转人工"
    r"|(?i:refund|return|exchang|invoic|cancel|upgrad|downgrad|renew|complain|escalat)[a-z]*"
)
VERDICT = r"不能|不可以?|无法|不予|不支持|已经?|可以?|同意|拒绝|驳回|(?i:cannot|can't|won't|not|been|approved?|declined?) "
REQUESTED = re.compile(REQUEST)
DECIDED = re.compile(rf"(?:{VERDICT})(?:为您|给您|办理|申请|全额|部分|直接)?(?:{REQUEST})")
RUN = re.compile(r"[A-Za-z0-9_#:./-]{4,}")
IDENTIFIER = re.compile(r"(?=\D*\d\D*\d)[A-Za-z]+[A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*|\d{6,}")
TOKEN = re.compile(r"[A-Za-z0-9]+(?:[.:/_#@+-][A-Za-z0-9]+)*", re.ASCII)
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
FULL_DATE = re.compile(r"(?<!\d)(\d{4})[年/.-](\d{1,2})[月/.-](\d{1,2})(?:日|号|(?!\d))")
MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})月(\d{1,2})[日号]")
COUNTED = re.compile(rf"({HAN_NUMBER})(?={STRONG_UNITS})")


@lru_cache(maxsize=8_192)
def values(text: str) -> tuple[str, ...]:
    """Return the values that a text states, each once, in order of appearance; no bare digit, no ordinal."""
    found = (" ".join(match.group().split()) for match in VALUE.finditer(text))
    return tuple(dict.fromkeys(value for value in found if len(value) > 1))


@lru_cache(maxsize=8_192)
def requests(text: str) -> tuple[str, ...]:
    """Return what a user's text asks for, in words, such as 退款 or refund."""
    return tuple(dict.fromkeys(REQUESTED.findall(text)))


@lru_cache(maxsize=8_192)
def decisions(text: str) -> tuple[str, ...]:
    """Return what an assistant's text decides about a request, such as 不能退款."""
    return tuple(dict.fromkeys(match.group() for match in DECIDED.finditer(text)))


@lru_cache(maxsize=8_192)
def identifiers(text: str) -> tuple[str, ...]:
    """Return the identifiers of a tool result: codes, and numbers of six digits or more; no passage ids."""
    runs = (run.strip(".:/-") for run in RUN.findall(text))
    return tuple(dict.fromkeys(run for run in runs if IDENTIFIER.fullmatch(run)))


@lru_cache(maxsize=8_192)
def tokens(text: str) -> frozenset[str]:
    """Return every number, id, date and amount of a text as a whole token in one spelling.

    Full-width forms, thousands separators, letter case, the spelling of dates and Chinese numerals in front of
    a unit are made equal, so that a note may write 3天 where the turn says 三天, but not 50 where it says 500.
    """
    plain = unicodedata.normalize("NFKC", THOUSANDS.sub("", text))
    plain = FULL_DATE.sub(
        lambda m: f" {m[1]}-{int(m[2]):02}-{int(m[3]):02} {int(m[2])}月{int(m[3])}日 ", plain
    )
    plain = MONTH_DAY.sub(lambda m: f" {int(m[1]):02}-{int(m[2]):02} ", plain)
    plain = COUNTED.sub(lambda m: f" {han_number(m[1])} ", plain)
    found = (match.group().lower() for match in TOKEN.finditer(plain))
    return frozenset(token for token in found if any(map(str.isdigit, token)))


def han_number(text: str) -> int:
    """Return the value of a Chinese numeral: 三百二十 → 320, 两万 → 20000, 一二三 → 123."""
    digits = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
    units = {"十": 10, "百": 100, "千": 1_000}
    if all(c in digits for c in text):
        return int("".join(str(digits[c]) for c in text))
    whole = section = digit = 0
    for c in text:
        if c in digits:
            digit = digits[c]
        elif c in units:
            section, digit = section + (digit or 1) * units[c], 0
        else:
            whole, section, digit = (whole + section + digit) * (10_000 if c == "万" else 100_000_000), 0, 0
    return whole + section + digit
