import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import typer
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typer.testing import CliRunner

from evals.load import load
from evals.read_back import TENANT, THREAD, Account, is_answered, read_back
from graph.support import Support, config_of, open_support
from nodes.state import Context
from store.settings import Settings, settings
from store.threads import Owner, thread_id
from tests.graph.dev_server import free_port

pytestmark = pytest.mark.timeout(900)  # workers start anew, and the machine may be slow
_WRONG = ("lost", "doubled", "unanswered", "forks")


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the workers run this checkout."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    yield
    settings.cache_clear()


def _loaded(tmp_path: Path, **options: object) -> dict[str, Any]:
    app = typer.Typer()
    app.command()(load)
    given = {"threads": 4, "port": free_port(2), "logs": tmp_path, **options}
    done = CliRunner().invoke(
        app, [part for name, value in given.items() for part in (f"--{name}", str(value))]
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.usefixtures("source")
def test_workers_and_a_postgres_that_are_killed_lose_no_acknowledged_turn_and_run_none_twice(
    tmp_path: Path,
) -> None:
    result = tmp_path / "soak.json"
    report = _loaded(tmp_path, turns=24, kills=1, crashes=2, json=result)
    assert json.loads(result.read_text("utf-8")) == report
    assert (report["acknowledged"], report["kills"], report["crashes"]) == (24, 1, 2)
    assert [report[name] for name in _WRONG] == [0, 0, 0, 0]


def test_more_kills_than_there_are_turns_are_refused() -> None:
    app = typer.Typer()
    app.command()(load)
    refused = CliRunner().invoke(app, ["--turns", "4", "--threads", "4", "--kills", "4"])
    assert refused.exit_code == 2
    assert "4 turns leave no room" in " ".join(refused.output.split())


@pytest.mark.usefixtures("config", "source")
def test_a_load_ends_when_its_time_is_over(tmp_path: Path) -> None:
    report = _loaded(tmp_path, turns=100_000, workers=1, kills=0, minutes=0.1)
    assert 0 < report["acknowledged"] < 100_000
    assert [report[name] for name in _WRONG] == [0, 0, 0, 0]


async def test_turns_that_are_lost_and_checkpoints_with_two_successors_are_counted(config: Settings) -> None:
    user, message = uuid4().hex, str(uuid4())
    context = Context(user_id=user, tenant=TENANT)
    async with open_support(config) as support:
        await support.ask("谢谢", thread=THREAD, context=context, message_id=message)
        whole, account = Account(), Account()
        await read_back(support, {user: [message]}, whole)
        thread = config_of(thread_id(Owner(TENANT, user), THREAD))
        states = [state async for state in support.graph.aget_state_history(thread)]
        await support.graph.aupdate_state(states[1].config, {"messages": []}, as_node="finish")
        await read_back(support, {user: [message, "never sent"]}, account)
    assert whole.fine
    assert (account.lost, account.unanswered, account.doubled, account.forks) == (1, 1, 0, 1)
    assert not account.fine


async def test_a_message_that_stands_in_the_log_twice_is_counted(
    config: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def twice(*_: object, **__: object) -> list[BaseMessage]:
        return [HumanMessage("a", id="1"), AIMessage("b"), HumanMessage("a", id="1"), AIMessage("b")]

    monkeypatch.setattr(Support, "history", twice)
    account = Account()
    async with open_support(config) as support:
        await read_back(support, {uuid4().hex: ["1"]}, account)
    assert (account.lost, account.doubled, account.unanswered, account.forks) == (0, 1, 0, 0)
    assert not account.fine


def test_a_message_counts_as_answered_with_one_answer_of_its_own() -> None:
    asked, answer, other = HumanMessage("a", id="1"), AIMessage("b"), HumanMessage("c", id="2")
    assert is_answered([asked, answer, other], "1")
    assert not is_answered([asked, other, answer], "1")
    assert not is_answered([asked, answer, answer], "1")
    assert not is_answered([asked, answer], "3")
