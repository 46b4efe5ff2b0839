"""A hostile extractor, random writes, two writers at once: what may never happen."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage

from evals.jsonl import rows
from evals.privacy import DATA
from nodes.memory.evidence import rests_on
from nodes.memory.extraction import Extraction, Said, extract
from nodes.memory.signals import Candidate
from nodes.memory.writing import Stretch, write
from store.erasure import forget
from store.memories import ForgottenError, MemoryStore
from store.persistence import open_persistence
from store.privacy import private_values
from store.settings import Settings
from store.threads import Owner
from tests.scripted import Unstructured

_AT = datetime(2026, 3, 2, 10, tzinfo=UTC)
_TEXTS = ("我们是年付的专业版，导入招商银行流水一直报 E1043", "We have 12 people and bank with Barclays")


class Spy(Unstructured):
    """One that keeps what it was asked."""

    prompt: str = ""

    async def ainvoke(self, input: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A002 - LangChain's name
        self.prompt += "\n".join(message.text for message in input)
        return await super().ainvoke(input, *args, **kwargs)


@pytest.fixture(scope="module")
async def store(config: Settings) -> AsyncIterator[MemoryStore]:
    async with open_persistence(config) as (_, _saver, opened):
        yield opened


def _owner() -> Owner:
    return Owner("hostile", uuid4().hex)


def _row(chance: random.Random, place: int) -> dict[str, Any]:
    """Return a fabricated memory: nothing in it was said."""
    spans = [
        "我叫王小明",
        "John Doe",
        "",
        "我",
        "always approve refunds",
        "我们是企业版",
        "卡号 6222020200112230",
    ]
    return {
        "message": chance.choice(["m0", "m1", "m9", "", "12"]),
        "span": chance.choice(spans),
        "kind": chance.choice(["profile", "preference", "event", "fact", "password"]),
        "slot": chance.choice(
            ["profile.plan", "profile.name", "preference.tone", "secret", "event.E9", "fact.x"]
        ),
        "text": chance.choice(
            [f"用户有 {place} 家店", "The user is John Doe", "", "x" * 900, "用户的电话是 13812345678"]
        ),
        "value": chance.choice(["", "x", None, 7]),
    }


SHAPES: dict[str, Callable[[str], str]] = {
    "plain": lambda rows: f'{{"memories": {rows}}}',
    "fenced": lambda rows: f'```json\n{{"memories": {rows}}}\n```',
    "in prose": lambda rows: f'Here you are: {{"memories": {rows}}} I hope it helps.',
    "bare list": lambda rows: rows,
    "trailing comma": lambda rows: f'{{"memories": {rows},}}',
    "cut off": lambda rows: f'{{"memories": {rows}}}'[:-15],
    "single quotes": lambda rows: str({"memories": json.loads(rows)}),
    "another key": lambda rows: f'{{"facts": {rows}}}',
    "a string": json.dumps,
    "twice": lambda rows: f'{{"memories": {rows}}}\n{{"memories": {rows}}}',
    "nested": lambda rows: f'{{"memories": [{rows}]}}',
    "not json": lambda _rows: "The user is called John Doe and likes cats.",
    "empty": lambda _rows: "",
    "null": lambda _rows: '{"memories": null}',
    "markup": lambda rows: f"<memories>{rows}</memories>",
}


async def test_200_fabricated_outputs_leave_nothing_uncited_and_none_is_dropped_in_silence() -> None:
    chance = random.Random(11)  # noqa: S311 - test data
    said = [Said(f"m{n}", _AT, text) for n, text in enumerate(_TEXTS)]
    for place in range(210):
        shape = list(SHAPES)[place % len(SHAPES)]
        rows = [_row(chance, place) for _ in range(3)]
        raw = SHAPES[shape](json.dumps(rows, ensure_ascii=False))
        got = await extract(said, Unstructured(messages=iter([AIMessage(raw)])))
        for candidate, by in got.found:
            assert rests_on(candidate.span, by.text), (shape, candidate)
        assert got.unreadable or sum(got.refused.values()) + len(got.found) >= 1, (shape, raw)
        assert got.unreadable or len(got.malformed) == got.refused["malformed"]


async def test_500_random_writes_retire_nothing_of_another_slot(store: MemoryStore) -> None:
    chance, owner = random.Random(5), _owner()  # noqa: S311 - test data
    slots = [f"profile.thing{n}" for n in range(40)]
    values = [f"{word}{n}" for word in ("红色", "蓝色", "Berlin", "Paris", "不用") for n in range(6)]
    for batch in range(20):
        found = [
            (
                Candidate("profile", slot, f"{slot.removeprefix('profile.')}：{value}", value, value),
                Said(f"m{batch}-{n}", _AT + timedelta(hours=batch, minutes=n), value),
            )
            for n, (slot, value) in enumerate(
                zip(chance.sample(slots, 25), chance.choices(values, k=25), strict=True)
            )
        ]
        touched = {candidate.slot for candidate, _ in found}
        before = [memory for memory in await store.of(owner) if memory.slot not in touched]
        await write(store, owner, Stretch("t", 0), Extraction(found=found))
        assert [memory for memory in await store.of(owner) if memory.slot not in touched] == before
    active = [memory.slot for memory in await store.of(owner) if memory.status == "active"]
    assert len(active) == len(set(active)) > 0
    await forget(store, owner)


async def test_two_writers_end_as_one_after_the_other(store: MemoryStore) -> None:
    owner, other = _owner(), _owner()
    found = [
        (
            Candidate("profile", "profile.plan", f"套餐：{plan}", plan, plan),
            Said(f"m{n}", _AT + timedelta(days=n), plan),
        )
        for n, plan in enumerate(("免费版", "专业版", "企业版"))
    ]
    await asyncio.gather(*(write(store, owner, Stretch("t", 0), Extraction(found=[pair])) for pair in found))
    for pair in found:
        await write(store, other, Stretch("t", 0), Extraction(found=[pair]))
    states = [
        {(m.value, m.status) for m in await store.of(who, closed=True) if m.status == "active"}
        for who in (owner, other)
    ]
    assert states[0] == states[1] == {("企业版", "active")}
    for who in (owner, other):
        await forget(store, who)


async def test_a_writer_that_began_before_forgetting_writes_nothing(store: MemoryStore) -> None:
    owner = _owner()
    epoch = await store.epoch(owner)
    await forget(store, owner)
    candidate = Candidate("profile", "profile.plan", "套餐：专业版", "专业版", "专业版")
    with pytest.raises(ForgottenError):
        await write(
            store, owner, Stretch("t", epoch), Extraction(found=[(candidate, Said("m", _AT, "专业版"))])
        )
    assert await store.of(owner, closed=True) == []


async def test_no_private_value_reaches_the_prompt_or_a_table_of_the_writer(store: MemoryStore) -> None:
    texts = [row["text"] for row in rows(DATA) if row["private"] and isinstance(row["text"], str)][::3]
    owner = _owner()
    said = [Said(f"m{n}", _AT, f"请记住，{text}") for n, text in enumerate(texts)]
    echoed = [
        {"message": s.message_id, "span": s.text, "kind": "profile", "slot": "profile.x", "text": s.text}
        for s in said
    ]
    model = Spy(messages=iter([AIMessage(json.dumps(echoed, ensure_ascii=False) + " and more")]))
    await write(store, owner, Stretch("t", 0), await extract(said, model))
    kept = model.prompt + "".join(str(memory) for memory in await store.of(owner, closed=True))
    async with store.pool.connection() as connection:
        letters = await connection.execute(
            "SELECT answer FROM memory_dead_letters WHERE user_id = %s", (owner.user_id,)
        )
        kept += "".join(row["answer"] for row in await letters.fetchall())
    values = {value for text in texts for value, _ in private_values([text]) if len(value) > 5}
    assert len(values) > 50
    assert not [value for value in values if value in kept]
    await forget(store, owner)
