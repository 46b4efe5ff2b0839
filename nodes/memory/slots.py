"""Slots: what a memory is about. Two memories of one slot cannot both hold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import rjieba

from nodes.language import Language
from nodes.memory.languages import language_names
from nodes.memory.named import names_of_slots, stated
from nodes.window.tokens import HAN

_HAN = r"[\u4e00-\u9fff]"
_OF_SENTENCES = ("d", "p", "r", "u", "y", "z")
"""jieba's tags of adverbs, prepositions, pronouns, particles and states: of words that are no part of a thing's name."""
_VERBS = ("v",)


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that is known of a user at a time.

    Attributes:
        name: ``kind.attribute``.
        cue: what a clause has to hold; its group is the value, else the whole clause is.
        stated: how a clause gives the value by the thing's name.
        label: how the memory begins, in both languages.
    """

    name: str
    cue: re.Pattern[str]
    stated: re.Pattern[str]
    label: dict[Language, str]

    @property
    def kind(self) -> str:
        """The kind of memory: what stands in front of the dot."""
        return self.name.partition(".")[0]

    def value_of(self, clause: str) -> str:
        """Return the value that a clause gives the slot; empty when it speaks of something else."""
        named = self.named_value(clause)
        if named is None or (named and self.kind == "profile" and not self._fits(named)):
            return ""
        return (named or clause).strip(" ，,。.!！")

    def named_value(self, clause: str) -> str | None:
        """Return the words of a clause that are the value, empty when all of it is; None when it speaks of something else."""
        match = self.cue.search(clause) or self.stated.search(clause)
        return next(filter(None, match.groups()), "") if match else None

    def _fits(self, value: str) -> bool:
        """Tell whether a Chinese value is a thing; 「我们在对账」 names no place, 「做账很慢」 no industry."""
        tags = [tag for word, tag in rjieba.tag(value) if HAN.match(word)]
        no_thing = _OF_SENTENCES + (_VERBS if self.name == "profile.location" else ())
        return not any(tag.startswith(no_thing) for tag in tags)

    def text_of(self, value: str, written_in: Language) -> str:
        """Return the memory that says a value."""
        return f"{self.label[written_in]}{'：' if written_in == 'zh' else ': '}{value}"


def _slot(name: str, cue: str) -> Slot:
    label = {lang: names[0] for lang, names in names_of_slots()[name].items()}
    return Slot(name, re.compile(cue, re.IGNORECASE), stated(name), label)


_CHANNEL = r"邮件|邮箱|电邮|电话|短信|微信|钉钉|来电|\be-?mails?\b|\bphone\b|\bcalls?\b|\btext(?:s| messages?)?\b|\bsms\b|\bwhatsapp\b|\bslack\b"
_TIME = r"上午|下午|早上|晚上|中午|周末|工作日|周[一二三四五六日天]|\d+点|[一二三四五六七八九十]+点|\bweekends?\b|\bweekdays?\b|\bmornings?\b|\bafternoons?\b|\bevenings?\b|\b\d+ ?(?:am|pm)\b|\bmondays?\b|\bfridays?\b"
_REACH = r"联系|找我|打给|打扰|打电话|沟通|通知|\b(?:contact|reach|call|phone|notify|ping)\b"

PREFERENCES: tuple[Slot, ...] = (
    _slot(
        "preference.address",
        r"(?:叫我|称呼[我他她]?(?:为|是)?|喊我)\s*(?P<a>[\w\u4e00-\u9fff·]{1,12}?)(?=就|吧|即可|[，。,.!！]|$)"
        r"|我(?:姓(?P<b>[\u4e00-\u9fff]{1,2})|叫(?P<c>(?![^，。,.]*[了过车])[\u4e00-\u9fff·]{2,4})(?=[，。,.!！]|$)|的?名字[是叫](?P<d>[\w\u4e00-\u9fff·]{1,12}))"
        r"|\b(?:call me|address me as|my name is|(?:am|be) called)\s+(?P<e>(?!only|after|before|when|if|at|on|by|back|later|tomorrow)[A-Za-z][\w.' -]{0,30}?)(?=[,.!]|$| from| please| and)",
    ),
    _slot(
        "preference.contact_time",
        rf"^(?=.*(?:{_TIME}))(?=.*(?:{_REACH}))",
    ),
    _slot(
        "preference.contact",
        rf"^(?=.*(?:{_CHANNEL}))(?!.*{_HAN}*(?:导出|报表|reports?\b))",
    ),
    _slot(
        "preference.language",
        rf"(?=.*(?:{language_names().pattern}))(?=.*(?:用|说|讲|回|聊|写|沟通|交流|\b(?:in|speak|use|talk|write)\b))",
    ),
    _slot(
        "preference.order",
        r"结论|先(?:说|给|讲|写)(?:答案|结果|重点|要点)|(?:conclusion|answer|summary|result|bottom line)s? (?:first|up front)|\bfirst the (?:conclusion|answer)",
    ),
    _slot(
        "preference.length",
        r"简短|简洁|精简|简单[点些]|[说写讲]短|短一?[点些]|啰嗦|长篇|详细|详尽|细一?[点些]|\b(?:short(?:er)?|brief(?:ly)?|concise|long|detail(?:ed|s)?|verbose|length(?:y)?)\b",
    ),
    _slot("preference.emoji", r"表情|颜文字|\bemojis?\b|\bemoticons?\b"),
    _slot(
        "preference.tone",
        r"语气|客套|正式|随意|活泼|礼貌|官腔|\b(?:formal|casual|friendly|polite|tone)\b",
    ),
    _slot(
        "preference.currency",
        r"(?=.*(?:报价|币种|价格|金额))(?=.*(?:人民币|美元|欧元|港币|日元|英镑))|(?=.*\b(?:price|prices|quote|amounts?)\b)(?=.*\b(?:euros?|dollars?|pounds?|yen|yuan|rmb|usd|eur)\b)",
    ),
    _slot(
        "preference.format",
        r"表格|列表|分点|分条|要点|图表|格式|(?<![A-Za-z])(?:CSV|PDF|Excel|xlsx|Word|JSON)(?![A-Za-z])|\b(?:tables?|lists?|bullet(?:s| points?)?|paragraphs?|format|markdown)\b",
    ),
)
"""How to talk to the user, in the order in which a clause is tried."""

_TIER = r"(?:[\u4e00-\u9fff]{1,3}版(?!本))"
_ENGLISH_TIER = r"(?:[A-Z][A-Za-z]+)"
PROFILE: tuple[Slot, ...] = (
    _slot(
        "profile.plan",
        rf"(?:升级?到|降级?到|升到|换到|换成|改成|转到|开通|买了|购买|订了|用的?是|使用|[是用])(?:了)?(?:你们)?的?(?:[年月季]付的?)?(?P<a>{_TIER})"
        rf"|^(?:我们|我|公司)?(?:现在)?(?:[年月季]付的?)(?P<b>{_TIER})"
        rf"|\b(?:on|have|bought|use|using|to|took)\s+(?:the |an? |your )?(?:annual |yearly |monthly )?(?P<c>(?-i:{_ENGLISH_TIER}))(?=\s+(?:plan|subscription|tier|edition|version)\b)"
        rf"|\b(?:upgraded|downgraded|switched|moved)\s+(?:from \w+ )?to\s+(?:the |an? )?(?:annual |yearly |monthly )?(?P<d>(?-i:Enterprise|Pro|Free|Basic|Premium|Standard|Starter|Business|Team))\b",
    ),
    _slot(
        "profile.billing_cycle",
        r"(?P<a>年付|月付|季付|半年付|按年付|按月付)|\b(?:on (?:the |an? )?|pay |billed |paying )(?P<b>annual(?:ly)?|yearly|monthly|quarterly)\b",
    ),
    _slot(
        "profile.bank",
        r"(?:导入|用的?是?|开户行是?|绑定|换成了?|换了|改用|导|对接|在)\s*(?:了)?\s*(?P<a>(?:中国)?[\u4e00-\u9fff]{2}银行|[\u4e00-\u9fff]行(?=的?(?:流水|账单|卡|账户)|[，,。]|$))"
        r"|\b(?:bank (?:with|is|at)|banking with|switched to|statements? from)\s+(?P<b>(?-i:[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?))",
    ),
    _slot(
        "profile.company_size",
        r"(?:公司|我们|团队|人数)[^，。]{0,8}?(?P<a>[\d一二两三四五六七八九十百]+)\s*(?:多)?(?:个)?(?:人|名员工|位员工|员工)"
        r"|\b(?:have|has|are|employs?|grown to|with|to)\s+(?P<b>\d+|[a-z]+(?:teen|ty|ve|en|ne|wo|ree|ur|ix|ght))\s+(?:people|employees|staff|of us|persons)\b",
    ),
    _slot(
        "profile.location",
        r"(?:我们?|公司|办公室)(?:公司|总部|现在|已经)?(?:在|位于|搬到了?|迁到了?|搬去了?)\s*(?P<a>[\u4e00-\u9fff]{2,4}?)(?:了|市|，|,|。|$)"
        r"|\b(?:i live in|i['’]m (?:based )?in|we(?:['’]re| are) (?:based |located )?in|based in|i moved to|we moved to|have moved to)\s+(?P<b>(?-i:[A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?))",
    ),
    _slot("profile.taxpayer", r"(?P<a>一般纳税人|小规模纳税人)"),
    _slot(
        "profile.closing_day",
        r"每个?月(?:的)?(?P<a>\d{1,2}[号日]|月底|月末)(?=.*(?:结账|做账|对账|关账))|\bclose (?:our|my|the) books on (?P<b>the \d{1,2}(?:st|nd|rd|th))",
    ),
    _slot(
        "profile.role",
        r"我(?:是|担任|升任|升为|调任|做)了?(?:公司的?|本公司的?)?(?P<a>(?:[\u4e00-\u9fff]{0,3})(?:会计|出纳|财务|主管|经理|总监|老板|店长|负责人|创始人|助理))|我负责(?:公司的?)?(?P<b>[\u4e00-\u9fff]{2,6})"
        r"|\bi(?:['’]m| am| became|(?: was|['’]ve been| have been) (?:promoted|appointed) to) (?:the |an? )?(?P<c>(?:\w+ )?(?:manager|accountant|bookkeeper|controller|owner|director|founder|assistant|cfo|ceo))\b",
    ),
    _slot(
        "profile.company",
        r"公司(?:名?叫|名称是|改名[为叫])(?P<a>[\w\u4e00-\u9fff（）()]{2,20}?)(?=了?(?:[^\w（）()]|$))|\bour company(?: is|['’]s) (?:now )?called (?P<b>(?-i:[A-Z][\w&. -]{1,30}))",
    ),
    _slot(
        "profile.currency",
        r"(?:默认|记账|本位)币种?(?:是|改成|改为|换成)(?P<a>[\u4e00-\u9fff]{2,3})|\bdefault currency is (?P<b>\w+)",
    ),
    _slot(
        "profile.industry",
        r"(?:我们|公司|我)(?:是)?(?:做|从事|经营|开了?家?)(?P<a>[\u4e00-\u9fff]{2,8}?)(?:的|业务|生意|，|。|$)|\b(?:i|we) (?:run|own) an? (?P<b>[a-z ]{3,30}?)(?=[,.]|$| and)",
    ),
)
"""What the user is and has."""

NAME = next(slot for slot in PREFERENCES if slot.name == "preference.address")
"""Users say it of themselves, and wish for it."""


def values_of(readings: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the slots that a statement speaks of, each with the value that it names, if it names one.

    Args:
        readings: the statement, in each way in which its user may have put it.
    """
    found: dict[str, frozenset[str]] = {}
    for slot in (*PREFERENCES, *PROFILE):
        values = [value for reading in readings if (value := slot.named_value(reading)) is not None]
        if values:
            found[slot.name] = frozenset(value.casefold() for value in values[:1] if value)
    return found
