"""A disk that is full under the embedded Postgres: a real server, and a C compiler's shim in place of a small disk."""

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from langchain_core.messages import HumanMessage

from evals.workers import OwnPostgres, own_postgres
from graph.support import Support, open_support
from store.errors import StoreError, SupportPilotError
from store.settings import load_settings

_SHIM = Path(__file__).with_name("full_disk.c")
_QUESTION = "年付套餐买错了能退款吗"


class Disk:
    """A disk that can be full."""

    def __init__(self, flag: Path) -> None:
        self._flag = flag

    def fill(self) -> None:
        self._flag.touch()

    def clear(self) -> None:
        self._flag.unlink(missing_ok=True)


@pytest.fixture
def disk() -> Iterator[Disk]:
    """Have every process that is started meanwhile write to a disk that can be full."""
    folder = Path(tempfile.mkdtemp(prefix="supportpilot-disk-"))  # the server's own user enters it
    folder.chmod(0o755)
    built = folder / "full_disk.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", built, _SHIM, "-ldl"], check=True)  # noqa: S607 - as make setup's
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(built))
        patch.setenv("FULL_DISK", str(folder / "full"))
        yield Disk(folder / "full")
    shutil.rmtree(folder)


@pytest.fixture
async def postgres(disk: Disk) -> AsyncIterator[OwnPostgres]:
    async with own_postgres() as started:
        yield started
        disk.clear()


async def test_a_full_disk_is_a_typed_error_and_the_message_is_answered_once_there_is_room_again(
    disk: Disk, postgres: OwnPostgres
) -> None:
    settings = load_settings(database_url=postgres.url, worker=False)
    thread, message = str(uuid4()), str(uuid4())
    async with open_support(settings) as support:
        assert (await support.ask(_QUESTION, thread=thread)).citations
        disk.fill()
        with pytest.raises(StoreError):
            await support.ask(_QUESTION, thread=thread, message_id=message)
        assert "No space left on device" in await asyncio.to_thread(postgres.log)
        disk.clear()
        await asyncio.to_thread(postgres.ensure_runs)
        reply = await _patiently(support, thread, message)
        log = await support.history(thread)
    assert reply
    asked = [m.id for m in log if isinstance(m, HumanMessage)]
    assert len(asked) == 2
    assert asked[-1] == message


async def _patiently(support: Support, thread: str, message: str) -> str:
    for _ in range(120):
        try:
            return (await support.ask(_QUESTION, thread=thread, message_id=message)).answer
        except SupportPilotError:
            await asyncio.sleep(0.5)
    pytest.fail("there is room again, the product is not back")
