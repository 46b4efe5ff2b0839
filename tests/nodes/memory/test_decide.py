from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evals.jsonl import rows
from nodes.memory.decide import decide
from nodes.memory.extraction import Said
from nodes.memory.precedence import Claim, prevailing
from nodes.memory.recall import everyday_file, everyday_topics, nearness_to_everyday, rank
from nodes.memory.statements import read_message
from store.e5 import E5Embedder
from store.memory import Memory

_DATA = Path(__file__).parents[3] / "evals/data/memory"


def _told(*texts: str) -> dict[str, Memory]:
    known: dict[str, Memory] = {}
    for n, text in enumerate(texts):
        said = Said(f"m{n}", datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=30 * n), text)
        for candidate in read_message(said.text, said.at):
            known |= {memory.id: memory for memory in decide(candidate, said, "t", list(known.values()))}
    return known


def _active(known: dict[str, Memory], slot: str) -> list[str]:
    return [memory.value for memory in known.values() if memory.slot == slot and memory.status == "active"]


def test_a_new_value_takes_the_slot_and_the_old_one_is_kept_closed() -> None:
    known = _told("我们是年付的专业版", "我们刚从专业版升级到企业版了")
    assert _active(known, "profile.plan") == ["企业版"]
    (old,) = [memory for memory in known.values() if memory.status == "superseded"]
    assert (old.value, old.valid_to[:7]) == ("专业版", "2026-03")
    assert _active(known, "profile.billing_cycle") == ["年付"]


def test_the_same_words_again_add_nothing() -> None:
    once = _told("我们是年付的专业版", "以后发邮件给我")
    assert len(_told("我们是年付的专业版", "以后发邮件给我", "我们是年付的专业版")) == len(once)


@pytest.mark.parametrize(
    ("slot", "texts", "held"),
    [
        ("order", ["以后回答请先说结论", "以后别先说结论了"], "以后别先说结论了"),
        ("format", ["以后用表格回答", "以后别用表格了"], "以后别用表格了"),
        ("order", ["Always put the conclusion first", "Never put the conclusion first"], "Never put the conclusion first"),
        ("emoji", ["以后别用表情", "以后别用表情了"], "以后别用表情了"),
        ("contact", ["以后有事发邮件给我就行", "以后别打电话"], "以后有事发邮件给我就行；以后别打电话"),
        ("contact", ["以后有事发邮件给我就行", "以后别打电话", "以后别发邮件了"], "以后别打电话；以后别发邮件了"),
    ],
)  # fmt: skip
def test_what_is_not_wanted_takes_back_what_it_names_and_leaves_the_rest(
    slot: str, texts: list[str], held: str
) -> None:
    assert _active(_told(*texts), f"preference.{slot}") == [held]


def test_a_retraction_closes_the_slot_and_writes_nothing() -> None:
    known = _told("我们的开户行是招商银行", "我们不用招商银行了")
    assert _active(known, "profile.bank") == []
    assert len(known) == 1


def test_an_event_that_was_solved_is_told_once() -> None:
    (event,) = [
        memory
        for memory in _told("导入流水报 E2017", "上次那个 E2017 解决了").values()
        if memory.kind == "event"
    ]
    assert event.value == "solved"
    assert "E2017" in event.text


@pytest.mark.parametrize("row", rows(_DATA / "precedence.jsonl"), ids=lambda row: row["id"])
def test_the_claim_that_holds_follows_source_then_time(row: dict[str, Any]) -> None:
    claims = [
        Claim(one["source"], one["value"], one["event_time"] or "", one["written"]) for one in row["claims"]
    ]
    holds, to_correct = prevailing(claims, row["now"])
    assert holds.value == row["expect"]
    assert [claim.value for claim in to_correct] == row["to_correct"]


def test_a_memory_comes_back_only_when_it_is_nearer_than_everyday_topics() -> None:
    texts = ["发票抬头改为远景", "员工生日蛋糕"]
    assert rank("发票抬头改成什么", texts, [0.6, 0.1], everyday=0.2)[0][0] == 0
    assert rank("天文知识", texts, [0.1, 0.05], everyday=0.7) == []
    assert rank("谢谢", texts, [0.6, 0.1], everyday=0.0) == []


def test_the_slower_model_has_a_say_in_whether_anything_comes_back() -> None:
    texts, refined = ["发票抬头改为远景", "员工生日蛋糕"], [0.8, 0.7]
    by_both = partial(rank, "抬头后来写的什么", texts, [0.3, 0.1], everyday=0.5, refined=refined)
    assert by_both(everyday_refined=0.8)[0][0] == 0
    assert by_both(everyday_refined=0.97) == []


async def test_the_slower_models_vectors_of_everyday_topics_are_those_of_the_topics() -> None:
    refiner, topics = E5Embedder(), everyday_topics()
    assert np.load(everyday_file(refiner.name)).shape == (len(topics), await refiner.dimensions())
    for topic in (topics[0], topics[-1]):
        assert await nearness_to_everyday(refiner, await refiner.embed_query(topic)) == pytest.approx(
            1, abs=0.01
        )
