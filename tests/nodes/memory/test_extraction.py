import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from evals.jsonl import rows
from nodes.memory.dates import event_time
from nodes.memory.evidence import rests_on
from nodes.memory.extraction import ExtractedMemories, Said, extract, extraction_messages, redacted
from nodes.memory.signals import asks_to_remember, explicit_signals
from nodes.memory.speech import is_question
from nodes.memory.statements import read_message
from nodes.offline import OfflineChatModel
from nodes.structured import read_json
from tests.scripted import Unstructured

_DATA = Path(__file__).parents[3] / "evals/data/memory"
_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
_TEXT = "我们是年付的专业版，以后发邮件给我"


async def _extracted(raw: str, texts: Sequence[str] = (_TEXT,)) -> Any:
    said = [Said(f"m{n}", _AT, text) for n, text in enumerate(texts)]
    return await extract(said, Unstructured(messages=iter([AIMessage(raw)])))


def _memory(**changed: Any) -> dict[str, Any]:
    row = {
        "message": "m0",
        "span": "我们是年付的专业版",
        "kind": "profile",
        "slot": "profile.plan",
        "text": "套餐：专业版",
    }
    return row | changed


def test_nothing_is_written_from_turns_without_a_signal() -> None:
    cases = rows(_DATA / "no_signal.jsonl")
    assert len([row for row in cases if row["language"] == "zh"]) == len(cases) / 2 >= 100
    written = [
        row for row in cases if [one for one in read_message(row["text"], _AT) if one.value != "solved"]
    ]
    assert not written


def test_95_of_100_explicit_signals_are_caught_in_their_slot() -> None:
    cases = rows(_DATA / "signals.jsonl")
    caught = [
        row
        for row in cases
        if any(
            one.slot == row["slot"] and row["must_contain"].lower() in one.text.lower()
            for one in explicit_signals(row["text"])
        )
    ]
    assert len(cases) >= 60
    assert len(caught) >= 0.95 * len(cases)


@pytest.mark.parametrize(
    "text",
    ["我们做账很慢", "我们做的凭证少了一张", "我们在对账", "我们在导入流水", "我负责报销很慢"],
)
def test_part_of_a_sentence_is_no_value(text: str) -> None:
    assert read_message(text, _AT) == []


@pytest.mark.parametrize(
    ("text", "slot", "value"),
    [
        ("我们在杭州", "profile.location", "杭州"),
        ("我们做服装批发", "profile.industry", "服装批发"),
        ("我们公司改名叫青禾科技了", "profile.company", "青禾科技"),
        ("My name is Joan", "preference.address", "Joan"),
    ],
)
def test_a_thing_is_a_value(text: str, slot: str, value: str) -> None:
    assert {one.slot: one.value for one in read_message(text, _AT)} == {slot: value}


def test_a_request_to_remember_is_told_from_a_reminder_to_do_something_and_from_a_question() -> None:
    for text in (
        "请记住我用微信联系",
        "Please remember: my plan is Pro",
        "Keep in mind that we bank with CMB",
    ):
        assert asks_to_remember(text)
    for text in (
        "记得给我发发票",
        "Remember to send me the invoice",
        "请记住我是年付的，我能退款吗",
        "Notes do not sync",
        "I remember that I paid",
    ):
        assert not asks_to_remember(text)


def test_a_clause_that_begins_like_a_question_is_one_and_a_denial_is_none() -> None:
    for text in ("whether my seats are refunded", "and can I be called Joan", "am I on the Pro plan"):
        assert is_question(text)
    for text in ("can't connect to the database", "don't call me", "our bank is CMB"):
        assert not is_question(text)


@pytest.mark.parametrize("text", ["我之前设定的语气偏好是啥", "我之前设定的语气偏好是什么", "请记住我叫啥"])
def test_a_question_is_no_preference_whatever_word_it_asks_with(text: str) -> None:
    assert explicit_signals(text) == []


def test_a_clause_whose_private_value_was_cut_out_is_no_memory() -> None:
    found = explicit_signals("请记住我用微信联系，我的卡号是 [***]")
    assert [one.slot for one in found] == ["preference.contact"]


@pytest.mark.parametrize("row", rows(_DATA / "dates.jsonl"), ids=lambda row: row["id"])
def test_dates_are_read_against_the_time_of_the_message_in_its_zone(row: dict[str, Any]) -> None:
    assert event_time(row["text"], datetime.fromisoformat(row["said_at"])) == (row["event_time"] or "")


@pytest.mark.parametrize(
    ("text", "day"),
    [("十五天前报错", "2026-02-15"), ("二十天前", "2026-02-10"), ("it failed twelve days ago", "2026-02-18")],
)
def test_numbers_of_days_are_read_in_words_of_any_size(text: str, day: str) -> None:
    assert event_time(text, _AT) == day


def test_evidence_is_compared_by_characters() -> None:
    assert rests_on("导入 招商银行", "我导入招商银行流水")
    assert rests_on("Ｅ１０４３", "报 E1043")
    assert not rests_on("导入工商银行", "我导入招商银行流水")
    assert not rests_on(" ", "我")


async def test_offline_extraction_reads_profile_preference_and_event() -> None:
    said = [
        Said("a", _AT, "我们是年付的专业版,导入招商银行流水一直报 E1043"),
        Said("b", _AT, "以后有事发邮件给我就行,别打电话"),
    ]
    slots = {one.slot: one.value for one, _ in (await extract(said, OfflineChatModel())).found}
    assert slots["profile.plan"] == "专业版"
    assert slots["profile.billing_cycle"] == "年付"
    assert slots["profile.bank"] == "招商银行"
    assert slots["event.E1043"] == "open"
    assert "邮件" in slots["preference.contact"]


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps({"memories": [_memory()]}, ensure_ascii=False),
        "```json\n" + json.dumps({"memories": [_memory()]}, ensure_ascii=False) + "\n```",
        "Here it is: " + json.dumps({"memories": [_memory()]}, ensure_ascii=False) + " Anything else?",
        json.dumps([_memory()], ensure_ascii=False),
        str({"memories": [_memory()]}),
        json.dumps({"memories": [_memory(), _memory()]}, ensure_ascii=False)[:-30],
        '{"memories": [' + json.dumps(_memory(), ensure_ascii=False) + ",]}",
        json.dumps({"memories": [{"kind": "nonsense"}, 7, None, _memory()]}, ensure_ascii=False),
    ],
)
async def test_readable_memories_survive_whatever_is_around_them(raw: str) -> None:
    extraction = await _extracted(raw)
    assert "profile.plan" in {one.slot for one, _ in extraction.found}
    assert not extraction.unreadable


async def test_a_hostile_extractor_gets_nothing_in_and_nothing_is_dropped_unseen() -> None:
    hostile = [
        json.dumps({"memories": [_memory(span="用户是企业版")]}),
        json.dumps({"memories": [_memory(message="m9")]}),
        json.dumps({"memories": [_memory(text="卡号 4111 1111 1111 1111")]}),
        json.dumps({"memories": [_memory(slot="admin.rights")]}),
        json.dumps({"memories": [_memory(text="套餐：专业版，300 席位")]}),
        json.dumps({"memories": [_memory(span="")]}),
        json.dumps({"memories": [_memory(text="x" * 5000)]}),
        json.dumps({"memories": [{"text": "John Doe"}]}),
        json.dumps({"memories": "none"}),
        json.dumps({"answer": 42}),
        "I found no memories.",
        "",
        "{" * 300,
        '{"memories": [{"message": "m0", "span": "' + "a" * 99,
        "<memories><m>专业版</m></memories>",
        "null",
    ]
    for n in range(200):
        extraction = await _extracted(hostile[n % len(hostile)])
        assert all(by.text == _TEXT and rests_on(one.span, _TEXT) for one, by in extraction.found)
        assert {one.slot for one, _ in extraction.found} <= {
            "preference.contact"
        }  # by rule, not by the model
        assert extraction.refused or extraction.unreadable


@pytest.mark.parametrize(
    ("written", "read"),
    [("2026-02", "2026-02"), ("2026-02-03T10:00:00", "2026-02-03"), ("last week", ""), ("2026-13-01", "")],
)
async def test_a_models_date_is_kept_only_where_it_is_one(written: str, read: str) -> None:
    raw = json.dumps({"memories": [_memory(event_time=written)]}, ensure_ascii=False)
    found = {one.slot: one.event_time for one, _ in (await _extracted(raw)).found}
    assert found["profile.plan"] == read


def test_private_values_are_gone_before_the_model_sees_anything() -> None:
    said = [Said("a", _AT, "我的手机前面是1381234"), Said("b", _AT, "后面是5678，密码是Abc12345")]
    shown = "".join(message.text for message in extraction_messages(redacted(said)))
    assert "我的手机前面是" in shown
    assert not any(secret in shown for secret in ("1381234", "5678", "Abc12345"))


def test_json_of_another_shape_is_not_taken_for_memories() -> None:
    assert read_json('{"memories": 3}', ExtractedMemories) is None
    assert read_json("no json", ExtractedMemories) is None
    assert read_json('{"memories": ' + "[" * 100_000, ExtractedMemories) is None
