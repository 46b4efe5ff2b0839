"""The commands that look at a thread's window, on a database of this module."""

import json
from pathlib import Path

import pytest

from tests.graph.commands import Command

THREAD = ("--thread", "t", "--user", "ann")


@pytest.fixture(scope="module")
def command(command: Command) -> Command:
    for question in ("年付套餐买错了能退款吗", "那月付的呢", "谢谢"):
        assert command("ask", question, *THREAD).exit_code == 0
    return command


def test_inspect_shows_every_call_as_table_json_and_page(command: Command, tmp_path: Path) -> None:
    printed = command("inspect", *THREAD).stdout
    for word in ("fixed", "hot", "watermark", "hit_ratio", "steps_left"):
        assert word in printed
    page = tmp_path / "thread.html"
    found = json.loads(command("inspect", *THREAD, "--json", "--html", str(page)).stdout)
    assert len(found["calls"]) == found["summary"]["calls"] == 3
    assert found["calls"][2]["cached_reported"] > 0
    assert "<svg" in page.read_text("utf-8")


def test_replay_compares_policies_and_budgets(command: Command) -> None:
    small = [part for field in ("window=4000", "reserve=500") for part in ("--budget", field)]
    found = json.loads(command("replay", *THREAD, "--policy", "trim", *small, "--json").stdout)
    assert found["summaries"]["recorded"]["moves"] == 0
    assert found["summaries"]["trim"]["max_tokens"] <= 3_500
    assert "recorded" in command("replay", *THREAD, "--policy", "none").stdout


def test_refute_and_rollback_say_what_they_did(command: Command) -> None:
    assert "marked" in command("refute", *THREAD, "--turn", "1", "退款规则说错了").stdout
    assert "after turn 1" in command("rollback", *THREAD, "--to", "1", "--why", "问错了").stdout


def test_budget_lists_every_field_with_its_reason(command: Command) -> None:
    printed = command("budget").stdout
    for field in ("reserve", "cache_price", "user_tokens", "memory_chars", "limit"):
        assert field in printed
    assert (
        json.loads(command("budget", "--json", "--budget", "window=20000", "--budget", "high=9000").stdout)[
            "limit"
        ]
        == 12_000
    )
    set_up = {"SUPPORTPILOT_BUDGET__WINDOW": "64000"}
    assert json.loads(command("budget", "--json", **set_up).stdout)["window"] == 64_000


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("budget", "--budget", "low=99999"), 1, "low=99999"),
        (("budget", "--budget", "hihg=1"), 1, "hihg"),
        (("budget", "--budget", "high"), 2, "FIELD=VALUE"),
        (("inspect", "--thread", "nowhere"), 1, "nowhere"),
        (("replay", "--thread", "t", "--policy", "magic"), 2, "magic"),
        (("rollback", *THREAD, "--to", "9"), 1, "Turn 9"),
    ],
)
def test_mistakes_are_named(command: Command, arguments: tuple[str, ...], code: int, words: str) -> None:
    done = command(*arguments)
    assert (done.exit_code, words in done.stderr, "Traceback" in done.stderr) == (code, True, False)
