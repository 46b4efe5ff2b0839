"""What users say of themselves in passing: profile, events, and what no longer holds."""

import re
from collections.abc import Iterator
from datetime import datetime

from nodes.intents import means
from nodes.memory.cues import says
from nodes.memory.dates import event_time
from nodes.memory.signals import Candidate, candidate, explicit_signals
from nodes.memory.slots import NAME, PROFILE
from nodes.memory.speech import clauses, is_order, is_own
from nodes.window.tokens import HAN

OPEN_PROBLEM = "event.open"
"""Slot of a message that says that something is solved without saying what: whatever was open last."""

_BANK = re.compile(r"[\u4e00-\u9fff]{2}银行|[\u4e00-\u9fff]行(?=了)")
_CODE = re.compile(r"(?<![A-Za-z\d])[A-Z]{1,5}-?\d{3,6}(?![A-Za-z\d])")
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
    for clause in clauses(message):
        if means(clause, "smalltalk") and not says("solved", clause):
            continue
        if not is_own(clause) or (is_order(clause) and not says("event", clause)):
            continue
        if says("retracts", clause):
            yield from _retraction(clause)
            continue
        for slot in (NAME, *PROFILE):
            if value := slot.value_of(clause):
                yield candidate(slot, value, clause)
        yield from _event(clause, said_at)


def _retraction(clause: str) -> Iterator[Candidate]:
    bare = re.sub(r"不(?:再)?|了|\bno longer\b|\bany ?more\b", "", clause, flags=re.IGNORECASE).strip(
        " ，。,."
    )
    for slot in PROFILE:
        given_up = slot.name == "profile.bank" and _BANK.search(clause)
        if value := slot.value_of(bare) or (clause if given_up else ""):
            yield Candidate("profile", slot.name, clause, value, clause, retracts=True)
            return


def _event(clause: str, said_at: datetime) -> Iterator[Candidate]:
    code, solved = _CODE.search(clause), says("solved", clause)
    if not (says("event", clause) or code or solved):
        return
    topic = _TOPIC.search(clause)
    name = code.group() if code else topic.group().lower() if topic else ""
    if not name and not solved:
        return
    when = event_time(clause, said_at) or said_at.date().isoformat()
    gap = "：" if HAN.search(clause) else ": "
    yield Candidate(
        "event",
        f"event.{name}" if name else OPEN_PROBLEM,
        f"{when}{gap}{clause.strip(' ，,。.')}",
        "solved" if solved else "open",
        clause,
        when,
    )
