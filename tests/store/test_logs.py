import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from store.logs import PrivacyGate, mask_logs, set_up_logging
from store.settings import load_settings

_PHONE = "13800138000"


@pytest.fixture(autouse=True)
def _own_root() -> Iterator[None]:
    """Give each test a root logger of its own."""
    root = logging.getLogger()
    before = (root.handlers, root.level)
    yield
    root.handlers, root.level = before


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_is_one_json_object_with_time_level_and_logger(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(load_settings(log_format="json"))
    logging.getLogger("graph.worker").warning("reading %s failed", "a thread", extra={"attempt": 2})
    line = _lines(capsys)[0]
    assert (line["event"], line["level"], line["logger"], line["attempt"]) == (
        "reading a thread failed", "warning", "graph.worker", 2,
    )  # fmt: skip
    assert line["timestamp"]


def test_private_values_are_masked_in_messages_fields_and_tracebacks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_up_logging(load_settings(log_format="json"))
    log = logging.getLogger("somebody.else")
    log.warning("call me at %s", _PHONE)
    try:
        int(f"{_PHONE} .")
    except ValueError:
        log.exception("failed")
    written = capsys.readouterr().err
    assert _PHONE not in written
    assert written.count("[***]") >= 2
    assert "ValueError" in written


def test_the_gate_also_stands_before_the_handlers_of_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processor=structlog.processors.JSONRenderer()))
    logging.getLogger().handlers = [handler]
    mask_logs()
    mask_logs()
    assert sum(isinstance(one, PrivacyGate) for one in handler.filters) == 1
    logging.getLogger("x").warning({"event": f"number {_PHONE}", "deep": {"list": [_PHONE]}})
    assert _PHONE not in capsys.readouterr().err
