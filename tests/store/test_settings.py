import re
from pathlib import Path

import pytest

from store.errors import ConfigError
from store.settings import Settings, load_settings

_ROOT = Path(__file__).parents[2]
_SHARED = {
    "database_url": "DATABASE_URL",
    "openai_base_url": "OPENAI_BASE_URL",
    "openai_api_key": "OPENAI_API_KEY",
}


def _variables() -> set[str]:
    return {_SHARED.get(name, f"SUPPORTPILOT_{name.upper()}") for name in Settings.model_fields}


def test_an_argument_wins_over_the_environment_and_the_environment_over_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert load_settings().pool_size == 10
    monkeypatch.setenv("SUPPORTPILOT_POOL_SIZE", "20")
    assert load_settings().pool_size == 20
    assert load_settings(pool_size=10).pool_size == 10


def test_a_wrong_value_is_named_with_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUPPORTPILOT_POOL_SIZE", "many")
    with pytest.raises(ConfigError, match=r"SUPPORTPILOT_POOL_SIZE \(pool_size\)='many'.*integer"):
        load_settings()


@pytest.mark.parametrize(
    "name", [n for n, f in Settings.model_fields.items() if str(f.annotation).startswith("dict")]
)
def test_a_setting_that_is_not_json_is_named_with_its_value(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SUPPORTPILOT_{name.upper()}", "not json")
    with pytest.raises(ConfigError, match=rf"SUPPORTPILOT_{name.upper()} \({name}\)='not json' is not JSON"):
        load_settings()


def test_a_wrong_secret_is_named_but_not_shown() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as raised:
        load_settings(openai_api_key=["hidden"])
    assert "hidden" not in str(raised.value)


def test_a_variable_that_is_there_but_empty_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("SUPPORTPILOT_DATA_DIR", "")
    assert load_settings() == Settings()
    assert load_settings().database_url is None


def test_the_offline_model_answers_until_an_endpoint_or_a_key_is_there() -> None:
    assert load_settings().chat_model == "offline"
    assert load_settings(openai_base_url="http://127.0.0.1:1/v1").chat_model != "offline"
    assert load_settings(openai_api_key="k").chat_model != "offline"
    assert load_settings(openai_api_key="k", chat_model="offline").chat_model == "offline"


def test_keys_do_not_show_in_the_settings_text() -> None:
    assert "hidden" not in repr(load_settings(openai_api_key="hidden"))


def test_the_example_file_names_every_setting_and_no_other() -> None:
    named = set(re.findall(r"^([A-Z_]+)=", (_ROOT / ".env.example").read_text("utf-8"), re.MULTILINE))
    assert named == _variables()


def test_every_setting_says_what_it_means() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize("seconds", [float("inf"), 1e300, 100_000])
@pytest.mark.parametrize("field", ["request_timeout", "tool_timeout", "memory_pause"])
def test_no_wait_is_longer_than_a_day(field: str, seconds: float) -> None:
    with pytest.raises(ConfigError, match=field):
        load_settings(**{field: seconds})


@pytest.mark.parametrize("field", ["thread_days", "memory_days"])
def test_nothing_is_kept_for_longer_than_the_database_can_count(field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        load_settings(**{field: 99_999_999_999})
