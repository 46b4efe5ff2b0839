"""Private values that users write are in nothing that the background writer makes: no table, no log line, no prompt."""

import json
import logging
import re
import unicodedata
from collections.abc import Iterator
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage

from evals.jsonl import rows
from evals.privacy import DATA
from graph.support import Support, config_of
from graph.worker import drain
from store.erasure import forget
from store.jobs import queue_reading
from store.postgres import Pool
from store.privacy import private_values
from store.threads import Owner, claim

_CONVERSATION = {"checkpoints", "checkpoint_blobs", "checkpoint_writes"}
"""The log itself, which is the user's and keeps what was said."""
_ASKED = "请记住，"
_OF_A_THREAD = 50


class Echo(GenericFakeChatModel):
    """An extractor that gives back all that it is sent, and whole private values as if it knew them."""

    said: dict[str, str]
    prompts: list[str]

    def with_structured_output(self, schema: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def ainvoke(self, input: Any, *args: Any, **kwargs: Any) -> AIMessage:  # noqa: A002 - LangChain's name
        del args, kwargs
        self.prompts.append("\n".join(message.text for message in input))
        rows = [
            {
                "message": id_, "span": text, "kind": kind, "slot": f"profile.{id_}", "text": text, "value": text,
            }
            for row in json.loads(input[-1].text)
            for id_, kind in ((row["id"], "profile"), (row["id"], "nothing that is known"))
            for text in (row["text"], self.said.get(row["id"], ""))
        ]  # fmt: skip
        return AIMessage(json.dumps({"memories": rows}, ensure_ascii=False))


def _conversations() -> Iterator[list[str]]:
    """Yield the private messages as conversations; what is split over two messages stays in one."""
    found: list[str] = []
    for row in rows(DATA):
        texts = [row["text"]] if isinstance(row["text"], str) else row["text"]
        if row["private"]:
            found += [f"{_ASKED}{text}" if len(texts) == 1 else text for text in texts]
        if len(found) >= _OF_A_THREAD:
            yield found
            found = []
    if found:
        yield found


async def _kept(pool: Pool) -> str:
    """Return every row of every table, as text, but for the conversations."""
    async with pool.connection() as connection:
        tables = await connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
            " AND table_type = 'BASE TABLE'"
        )
        names = [row["table_name"] for row in await tables.fetchall()]
        assert {"procrastinate_jobs", "store", "memory_dead_letters"} <= {*names}
        rows: list[str] = []
        for name in names:
            if name not in _CONVERSATION:
                found = await connection.execute(f'SELECT t::text AS row FROM "{name}" t'.encode())
                rows += [row["row"] for row in await found.fetchall()]
    return "\n".join(rows)


def _needles(messages: list[str]) -> set[str]:
    """Return the private values: those that the gate names, and every long run of digits, however it is written."""
    values = {value for value, _ in private_values(messages) if len(value) > 5}
    return values | {run for message in messages for run in _runs(message)}


def _holds(text: str, value: str) -> bool:
    """Tell whether a text holds a value, and not only a number or a digest that it is a part of."""
    return value in text and bool(re.search(rf"(?<![\da-f]){re.escape(value)}(?![\da-f])", text))


def _runs(text: str) -> list[str]:
    plain = re.sub(r"(?<=\d)[\s.\-·]+(?=\d)", "", unicodedata.normalize("NFKC", text))
    return re.findall(r"\d{11,}", plain)


async def test_private_values_reach_no_table_no_log_line_and_no_prompt_of_the_writer(
    desk: Support, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    owner, conversations = Owner("default", uuid4().hex), list(_conversations())
    messages = [text for said in conversations for text in said]
    whole = {f"m{n}": text for n, text in enumerate(messages) if text.startswith(_ASKED)}
    model = Echo(messages=iter(()), said=whole, prompts=[])
    monkeypatch.setattr("graph.memory_writer.chat_model", lambda *_: model)
    number = count()
    for said in conversations:
        log = [HumanMessage(text, id=f"m{next(number)}") for text in said]
        thread = str(uuid4())
        await claim(desk.resources.pool, thread, owner, "")
        await desk.graph.aupdate_state(config_of(thread), {"messages": log}, as_node="finish")
        await queue_reading(desk.resources.pool, thread, owner, seconds=0)
    queued = await _kept(desk.resources.pool)
    await drain(desk.resources)
    assert len(model.prompts) == len(conversations)
    assert await desk.resources.memories.of(owner)

    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    kept = {
        "queue": queued,
        "tables": await _kept(desk.resources.pool),
        "prompts": "\n".join(model.prompts),
        "log": logged,
    }
    needles = _needles(messages)
    assert len(messages) >= 375
    assert len(needles) > 300
    found = {where: [one for one in needles if _holds(text, one)] for where, text in kept.items()}
    assert found == {"queue": [], "tables": [], "prompts": [], "log": []}
    await forget(desk.resources.memories, owner, threads=True)
