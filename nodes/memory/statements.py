"""What users say of themselves in passing: profile, events, and what no longer holds."""

import re
from collections.abc import Iterator
from datetime import datetime

from nodes.memory.dates import event_time
from nodes.memory.signals import Candidate, candidate, explicit_signals
from nodes.memory.slots import PROFILE
from nodes.memory.speech import clauses, is_order, is_own
from nodes.talk import is_small_talk

OPEN_PROBLEM = "event.open"
"""Slot of a message that says that something is solved without saying what: whatever was open last."""

_RETRACTS = re.compile(
    r"不(?:再)?(?:用|使用|做|是|在)[^，。]{0,12}了|\bno longer\b|\bany ?more\b|\bstopped (?:using|banking)\b",
    re.IGNORECASE,
)
_BANK = re.compile(r"[\u4e00-\u9fff]{2}银行|[\u4e00-\u9fff]行(?=了)")
_EVENT = re.compile(
    r"报错|报了?\s*E?\d|一直报|失败|出错|崩溃|打不开|登不上|被拒|拒绝|申请了|申请的|投诉|误删|丢了|坏了|超限|升级到|搬到|续了?费|退了款|扣了两次"
    r"|\b(?:fail(?:ed|s)?|crash(?:ed|es)?|errors?|refused|declined|rejected|requested|complained|deleted|lost|broke|upgraded|moved|renewed|charged)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<![A-Za-z\d])[A-Z]{1,5}-?\d{3,6}(?![A-Za-z\d])")
_SOLVED = re.compile(
    r"解决了|好了|搞定了?|恢复了|可以了|成功了|\b(?:solved|fixed|works? now|sorted|resolved)\b", re.IGNORECASE
)
_TOPIC = re.compile(
    r"退款|发票|导入|导出|登录|续费|升级|附件|权限|扣款|投诉|refund|invoice|import|export|login|renewal|upgrade|attachment|permission|charge",
    re.IGNORECASE,
)


def read_message(message: str, said_at: datetime) -> list[Candidate]:
    """Return what a user's message tells of the user: signals, profile, events, retractions.

    Args:
        message: what the user wrote, private values redacted.
        said_at: when it was written, in the user's zone.
    """
    found = {one.slot: one for one in explicit_signals(message)}
    for one in _statements(message, said_at):
        found.setdefault(one.slot, one)
    return list(found.values())


def _statements(message: str, said_at: datetime) -> Iterator[Candidate]:
    if is_small_talk(message) and not _CODE.search(message) and not _SOLVED.search(message):
        return
    for clause in clauses(message):
        if not is_own(clause) or (is_order(clause) and not _EVENT.search(clause)):
            continue
        if _RETRACTS.search(clause):
            yield from _retraction(clause)
            continue
        for slot in PROFILE:
            if value := slot.value_of(clause):
                yield candidate(slot, value, clause)
        yield from _event(clause, said_at)


def _retraction(clause: str) -> Iterator[Candidate]:
    bare = re.sub(r"不(?:再)?|了|\bno longer\b|\bany ?more\b", "", clause, flags=re.IGNORECASE).strip(
        " ，。,."
    )
    for slot in PROFILE:
        value = (
            slot.value_of(bare)
            or (_BANK.search(clause) is not None and slot.name == "profile.bank" and clause)
            or ""
        )
        if value:
            yield Candidate("profile", slot.name, clause, str(value), clause, retracts=True)
            return


def _event(clause: str, said_at: datetime) -> Iterator[Candidate]:
    code, solved = _CODE.search(clause), _SOLVED.search(clause)
    if not (_EVENT.search(clause) or code or solved):
        return
    topic = _TOPIC.search(clause)
    name = code.group() if code else topic.group().lower() if topic else ""
    if not name and not solved:
        return
    when = event_time(clause, said_at) or said_at.date().isoformat()
    gap = "：" if re.search(r"[\u4e00-\u9fff]", clause) else ": "
    yield Candidate(
        "event",
        f"event.{name}" if name else OPEN_PROBLEM,
        f"{when}{gap}{clause.strip(' ，,。.')}",
        "solved" if solved else "open",
        clause,
        when,
    )
