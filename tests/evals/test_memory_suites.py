"""The metrics of the memory suites on examples worked by hand, a bad one among them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from langchain_core.language_models import BaseChatModel

from evals import judge, memory, memory_scale, privacy, recall, scenarios
from evals.judge_fit import Pair
from evals.suite import Options
from graph.support import open_knowledge_only
from nodes.memory.extraction import Extraction, Said
from nodes.memory.judge import RELATIONS, Verdict
from nodes.memory.signals import Candidate
from nodes.recall import relevant
from store.embedding import BundledEmbedder
from store.erasure import forget
from store.memories import MemoryStore
from store.memory import Memory
from store.settings import Settings
from store.threads import Owner
from store.transfer import write_memories


def test_judge_counts_agreement_and_overwritten_contradictions() -> None:
    labels = ("duplicate", "duplicate", "update", "contradiction", "contradiction", "different")
    pairs = [Pair(old="a", new="b", relation=label) for label in labels]
    found = judge.figures(pairs, ["duplicate", "update", "update", "update", "contradiction", "different"])
    assert found["accuracy"]["value"] == round(4 / 6, 4)
    assert found["f1.duplicate"]["value"] == round(2 / 3, 4)
    assert found["overwritten_contradictions"]["value"] == 0.5
    assert judge.figures(pairs, ["different"] * 6)["f1.update"]["value"] == 0


async def test_unrelated_memories_that_a_judge_takes_for_one_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judge, "_OTHERS", 20)
    embedder, verdicts = BundledEmbedder(), cycle(Verdict(relation, 1.0) for relation in RELATIONS)
    assert (await judge._merged(embedder))["value"] == 0
    monkeypatch.setattr(judge, "judge_difference", lambda *_: next(verdicts))
    assert (await judge._merged(embedder))["value"] == 0.5


def test_recall_counts_hits_parts_and_injections() -> None:
    rows: list[dict[str, list[int]]] = [
        {"relevant": [0, 2]},
        {"relevant": [1]},
        {"relevant": []},
        {"relevant": []},
    ]
    found = recall.figures(rows, [[2, 3], [0], [], [4]])
    assert {name: one["value"] for name, one in found.items()} == {
        "hit@5": 0.5, "recall@5": 0.25, "injected_off_topic": 0.5,
    }  # fmt: skip


def test_privacy_counts_found_and_falsely_found() -> None:
    rows = [{"private": True}, {"private": True}, {"private": False}]
    found = privacy.figures(rows, [True, False, True])
    assert {name: one["value"] for name, one in found.items()} == {"recall": 0.5, "false_positive_rate": 1.0}


async def test_the_gate_misses_nothing_of_its_test_half(config: Settings) -> None:
    assert (await privacy.measure(Options(config)))["broken"] == []


async def test_a_scenario_of_ones_own_is_played_and_a_wrong_expectation_is_told(
    config: Settings, tmp_path: Path
) -> None:
    sessions = [{"date": "2026-03-02", "messages": [{"role": "user", "content": "我们是年付的专业版"}]}]
    right = {
        "query": "我是什么套餐",
        "must_recall": ["专业版"],
        "must_not_recall": [],
        "slot": "profile.plan",
    }
    rows = [
        {"id": "right", "sessions": sessions, "checks": [right | {"active": "专业版"}]},
        {
            "id": "wrong",
            "sessions": sessions,
            "checks": [right | {"must_not_recall": ["专业版"], "active": "企业版"}],
        },
    ]
    data = tmp_path / "own.jsonl"
    data.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    found = await memory.measure(Options(config, data))
    assert [row.get("failed", False) for row in found["rows"]] == [False, True]
    assert found["metrics"]["one_active_value"]["value"] == 0.5
    assert found["metrics"]["staleness"]["value"] == 0.5
    assert {
        found["metrics"][name]["value"] for name in ("uncited", "cross_user", "leaks", "forget_rows_left")
    } == {0}


async def test_a_memory_of_nothing_that_was_said_one_that_a_stranger_sees_and_one_that_stays_are_counted(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def invented(said: Sequence[Said], _: BaseChatModel) -> Extraction:
        found = Candidate("event", "event.E1043", "导入流水报 E1043", "E1043", span="导入流水报 E1043")
        return Extraction(found=[(found, replace(said[0], text=found.text))])

    async def anybodys(store: MemoryStore, owner: Owner, query: str) -> list[Memory]:
        return await relevant(store, Owner(owner.tenant, owner.user_id.removesuffix("x")), query)

    async def forgetful(*_: object, **__: object) -> None: ...

    said = [{"date": "2026-03-02", "messages": [{"role": "user", "content": "谢谢你的帮助"}]}]
    check = {"query": "导入流水报 E1043 怎么办", "must_recall": ["E1043"], "must_not_recall": []}
    async with open_knowledge_only(config) as opened:
        monkeypatch.setattr(scenarios, "extract", invented)
        monkeypatch.setattr(scenarios, "relevant", anybodys)
        monkeypatch.setattr(scenarios, "forget", forgetful)
        row = await scenarios.play(opened, {"id": "planted", "sessions": said, "checks": [check]})
    assert (row["uncited"], row["right"], row["cross_user"]) == (1, [False], 1)
    assert row["rows_left"] > 0
    assert row["failed"]


def test_scenarios_count_what_is_right_and_what_must_not_be() -> None:
    nothing = {"uncited": 0, "cross_user": 0, "leaks": 0, "rows_left": 0}
    rows = [
        {"wanted": 2, "found": 1, "right": [True, False], "recalled": [True], "slots": [True, False], "stale": [False]}
        | nothing,
        {"wanted": 0, "found": 0, "right": [], "recalled": [], "slots": [], "stale": [True]}
        | {"uncited": 1, "cross_user": 2, "leaks": 3, "rows_left": 4},
    ]  # fmt: skip
    assert {name: one["value"] for name, one in memory.figures(rows).items()} == {
        "extraction_recall": 0.5, "extraction_precision": 0.5, "recalled": 1, "one_active_value": 0.5,
        "staleness": 0.5, "uncited": 1, "cross_user": 2, "leaks": 3, "forget_rows_left": 4,
    }  # fmt: skip
    assert not {"extraction_recall", "recalled"} & memory.figures(rows[1:]).keys()


async def test_a_private_value_in_the_database_is_a_leak_though_reading_hides_it(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner("evals", "leaking")
    async with open_knowledge_only(config) as opened:
        planted = replace(memory_scale._memory(1), text="手机号 13812345678")
        monkeypatch.setattr("store.memories.redacted", lambda one: one)
        await write_memories(opened.memories, owner, [planted, memory_scale._memory(2)])
        monkeypatch.undo()
        assert "13812345678" not in "".join(one.text for one in await opened.memories.of(owner))
        assert await scenarios.leaks(opened.pool, owner) == 1
        await forget(opened.memories, owner)
        assert await scenarios.leaks(opened.pool, owner) == 0


async def test_search_among_many_is_complete_and_leaves_nothing_behind(config: Settings) -> None:
    async with open_knowledge_only(config) as opened:
        async with memory_scale._filled(opened.memories, [120, *[8] * 8]) as users:
            found = await memory_scale._measured(opened.memories, users)
            turned = {owner: -vectors for owner, vectors in users.items()}
            missed = await memory_scale._measured(opened.memories, turned)
        assert found["memories.recall@5"]["value"] == 1
        assert missed["memories.recall@5"]["value"] < 0.5, "what is nearest to them is farthest in the store"
        assert await opened.memories.of(next(iter(users)), closed=True) == []


async def test_counts_at_once_are_all_kept_and_one_that_is_lost_is_told(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_scale, "_SLOW_SECONDS", 0.05)
    monkeypatch.setattr(memory_scale, "_EMBEDDINGS", 1)
    monkeypatch.setattr(memory_scale, "_COUNTS", 8)
    counting, due = memory_scale._count, iter(range(8))

    async def forgetful(store: MemoryStore, owner: Owner) -> None:
        if next(due):
            await counting(store, owner)

    async with open_knowledge_only(config) as opened:
        whole = await memory_scale.neighbours(opened.memories)
        monkeypatch.setattr(memory_scale, "_count", forgetful)
        lost = await memory_scale.neighbours(opened.memories)
    assert (whole["memories.counted"]["value"], lost["memories.counted"]["value"]) == (1, 0.875)
    assert whole["memories.neighbour_p95_ms"]["value"] > 0
