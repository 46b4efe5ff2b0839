"""Logs: one JSON object a line, without private values, from our own loggers and everybody else's."""

import logging
import sys
from collections.abc import Mapping
from typing import Any

import structlog

from store.privacy import redact
from store.settings import Settings

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


class PrivacyGate(logging.Filter):
    """Masks private values in whatever a handler is about to write, tracebacks included."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask one record; none is held back."""
        if isinstance(record.msg, dict):  # how structlog hands events to the standard library
            record.msg = masked(record.msg)
        else:
            record.msg, record.args = redact(record.getMessage()).text, None
        if record.exc_info and record.exc_info[0] is not None:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info)).text
            record.traceback, record.exc_info = record.exc_text, None  # structlog clears exc_text
        return True


def masked(value: Any) -> Any:
    """Return a value with its private texts masked, however deep they lie."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, Mapping):
        return {key: masked(part) for key, part in value.items()}
    if isinstance(value, list):
        return [masked(part) for part in value]
    return value


def set_up_logging(settings: Settings) -> None:
    """Write the logs of this process to standard error, for people or as JSON."""
    renderer = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[_exception, structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers, logging.getLogger(name).propagate = [], True
    for name in ("httpx", "httpx2"):  # a line for each call of an endpoint
        logging.getLogger(name).setLevel(logging.WARNING)
    mask_logs()


def mask_logs() -> None:
    """Put the gate before every handler that is there, also where a server has set up logs of its own."""
    for handler in logging.getLogger().handlers:
        if not any(isinstance(one, PrivacyGate) for one in handler.filters):
            handler.addFilter(PrivacyGate())


def _exception(_: Any, __: str, event: Any) -> Any:
    """Add the traceback, which the gate has turned into text."""
    record = event.get("_record")
    if text := getattr(record, "traceback", ""):
        event["exception"] = text
    return event
