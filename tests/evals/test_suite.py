from inspect import iscoroutinefunction
from pathlib import Path

import pytest

from evals.__main__ import SUITES
from evals.results import revision, versioned
from evals.suite import Options, load
from store.settings import load_settings


@pytest.mark.parametrize("name", SUITES)
def test_a_registered_suite_keeps_the_protocol(name: str) -> None:
    suite = load(name)
    assert suite.ABOUT
    assert "\n" not in suite.ABOUT
    assert all(sign in ("<=", ">=") for sign, _ in suite.BOUNDS.values())
    assert iscoroutinefunction(suite.measure)


def test_a_sample_is_spread_over_the_cases() -> None:
    options = Options(load_settings(chat_model="offline"), sample=4)
    assert options.some(range(100)) == [0, 25, 50, 75]
    assert options.some([1, 2]) == [1, 2]
    assert Options(options.settings).some([1, 2, 3]) == [1, 2, 3]


def test_progress_is_told_for_every_case() -> None:
    told: list[tuple[int, int]] = []
    options = Options(load_settings(chat_model="offline"), progress=lambda n, of: told.append((n, of)))
    assert list(options.track(["a", "b"])) == ["a", "b"]
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_run_is_live_only_with_another_model_than_the_offline_one() -> None:
    assert not Options(load_settings(chat_model="offline")).live
    assert Options(load_settings(chat_model="some-model")).live


def test_a_data_set_is_named_with_the_hash_of_its_content(tmp_path: Path) -> None:
    one = tmp_path / "one.jsonl"
    one.write_text("{}\n", "utf-8")
    before = versioned(one)
    one.write_text("{} \n", "utf-8")
    assert before.startswith("one.jsonl@")
    assert versioned(one) != before


def test_without_git_a_result_names_no_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert revision() == ""
