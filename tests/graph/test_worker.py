"""The worker beside other work: it ends when they do."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from langchain_core.language_models import BaseChatModel

from graph.support import Support, open_knowledge_only, open_support
from graph.worker import drain, stop, worker
from nodes.memory.extraction import Extraction, Said
from nodes.state import Context
from store.erasure import forget
from store.jobs import cursor_of
from store.settings import Settings
from store.threads import Owner


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.003, 0.01, 0.03, 0.1])
async def test_a_command_that_ends_while_the_worker_begins_ends(support: Support, seconds: float) -> None:
    async with asyncio.timeout(60):
        async with worker(support.resources):
            await asyncio.sleep(seconds)


async def test_a_task_that_takes_a_cancellation_for_something_else_is_cancelled_again() -> None:
    lost: list[int] = []

    async def stubborn() -> None:
        while len(lost) < 2:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                lost.append(1)

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    await stop([task])
    assert len(lost) == 2


async def test_the_threads_that_were_left_last_are_read_at_the_end_and_no_more_are_kept(
    own: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.support._MOST_LEFT", 2)
    monkeypatch.setattr("graph.worker._EXIT_SECONDS", 60)
    ann, threads = Context(user_id="ann"), {}
    async with open_support(own.model_copy(update={"worker": True, "memory_pause": 3600.0})) as support:
        for name in ("first", "second", "third", "first"):
            reply = await support.ask(f"我是 {name}", thread=name, context=ann)
            threads[name] = reply.thread_id
        assert list(support.left) == [threads["third"], threads["first"]]
    async with open_knowledge_only(own) as opened:
        read = {name for name, thread in threads.items() if (await cursor_of(opened.pool, thread))[0]}
    assert read == {"third", "first"}


async def test_draining_waits_for_a_reading_that_takes_longer_than_a_worker_has_to_stop(
    desk: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[str]] = []

    async def slow(said: Sequence[Said], _model: BaseChatModel) -> Extraction:
        await asyncio.sleep(1.5)
        read.append([one.text for one in said])
        return Extraction()

    monkeypatch.setattr("graph.memory_writer.extract", slow)
    user = f"user-{uuid4().hex[:12]}"
    await desk.ask(f"我是 {user}", context=Context(user_id=user))
    await drain(desk.resources)
    assert [f"我是 {user}"] in read
    await forget(desk.resources.memories, Owner("default", user), threads=True)
