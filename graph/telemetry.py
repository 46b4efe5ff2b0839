"""Traces and metrics over OpenTelemetry, with its GenAI names; what users and models say is never in them.

Attribute and metric names: OpenTelemetry semantic conventions for generative AI, 1.37; what they do not name is
called ``supportpilot.*``.
"""

import os
from collections.abc import Mapping
from contextvars import ContextVar
from time import perf_counter
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook
from opentelemetry import metrics, trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from store.errors import ConfigError

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""OpenTelemetry's own variable; set, telemetry is on. Its other variables hold, too."""

_registered: list[BaseCallbackHandler] = []


class Telemetry(BaseCallbackHandler):
    """Makes a span of each turn, node, model call and tool call, and measures them."""

    run_inline = True

    def __init__(self) -> None:
        self._tracer = trace.get_tracer("supportpilot")
        meter = metrics.get_meter("supportpilot")
        self._tokens = meter.create_histogram("gen_ai.client.token.usage", "{token}")
        self._seconds = meter.create_histogram("gen_ai.client.operation.duration", "s")
        self._watermark = meter.create_histogram("supportpilot.watermark", "1")
        self._spans: dict[UUID, Span] = {}
        self._began: dict[UUID, float] = {}

    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Begin the span of a turn or a node; steps inside a node belong to it."""
        del serialized, inputs
        node, name = (metadata or {}).get("langgraph_node"), more.get("name")
        if parent_run_id is None:
            self._begin(run_id, None, "invoke_agent support", {"gen_ai.operation.name": "invoke_agent"})
        elif name == node:
            self._begin(run_id, parent_run_id, str(node), {})
        elif parent_run_id in self._spans:
            self._spans[run_id] = self._spans[parent_run_id]

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        """End it, with what it decided and how full the window was."""
        if isinstance(outputs, Mapping):
            self._describe(run_id, outputs)
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End it as failed."""
        self._end(run_id, error)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        """Begin the span of a model call."""
        del serialized, messages
        asked = more.get("invocation_params") or {}
        model = str(asked.get("model") or asked.get("model_name") or asked.get("_type", "unknown"))
        named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
        self._begin(run_id, parent_run_id, f"chat {model}", named, SpanKind.CLIENT)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **_: Any) -> None:
        """End it, with the tokens that the provider reported."""
        for generations in response.generations:
            for generation in generations:
                if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                    self._count(run_id, generation.message)
        self._end(run_id, operation="chat")

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End it as failed."""
        self._end(run_id, error, operation="chat")

    def on_tool_start(
        self,
        serialized: Mapping[str, Any] | None,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **_: Any,
    ) -> None:
        """Begin the span of a tool call."""
        del input_str
        tool = str((serialized or {}).get("name", "tool"))
        named = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        self._begin(run_id, parent_run_id, f"execute_tool {tool}", named)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        """End it."""
        del output
        self._end(run_id, operation="execute_tool")

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        """End it as failed."""
        self._end(run_id, error, operation="execute_tool")

    def _begin(
        self,
        run: UUID,
        parent: UUID | None,
        name: str,
        attributes: dict[str, str],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> None:
        above = self._spans.get(parent) if parent else None
        context = trace.set_span_in_context(above) if above else None
        self._spans[run] = self._tracer.start_span(name, context, kind, attributes)
        self._began[run] = perf_counter()

    def _end(self, run: UUID, error: BaseException | None = None, operation: str = "invoke_agent") -> None:
        span, began = self._spans.pop(run, None), self._began.pop(run, None)
        if span is None or began is None:
            return
        if error is not None:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(StatusCode.ERROR)
        span.end()
        self._seconds.record(perf_counter() - began, {"gen_ai.operation.name": operation})

    def _describe(self, run: UUID, outputs: Mapping[str, Any]) -> None:
        span = self._spans.get(run)
        if span is None:
            return
        if decision := outputs.get("decision"):
            span.set_attribute("supportpilot.route", decision["route"])
        for record in outputs.get("calls", [])[-1:]:
            span.set_attribute("supportpilot.watermark", record["watermark"])
            if run in self._began:
                self._watermark.record(record["watermark"])

    def _count(self, run: UUID, message: AIMessage) -> None:
        used, span = message.usage_metadata, self._spans.get(run)
        if used is None or span is None:
            return
        cached = used.get("input_token_details", {}).get("cache_read", 0)
        span.set_attribute("gen_ai.usage.input_tokens", used["input_tokens"])
        span.set_attribute("gen_ai.usage.output_tokens", used["output_tokens"])
        span.set_attribute("gen_ai.usage.cache_read.input_tokens", cached)
        span.set_attribute("gen_ai.response.model", str(message.response_metadata.get("model_name", "")))
        for kind, tokens in (("input", used["input_tokens"]), ("output", used["output_tokens"])):
            self._tokens.record(tokens, {"gen_ai.operation.name": "chat", "gen_ai.token.type": kind})


def watch_turns() -> None:
    """Tell OpenTelemetry of every turn of this process from now on; without its SDK nothing happens."""
    if not _registered:
        _registered.append(Telemetry())
        register_configure_hook(ContextVar("telemetry", default=_registered[0]), inheritable=True)


def set_up_telemetry() -> bool:
    """Send traces and metrics to the collector that the environment names; return whether it names one.

    Raises:
        ConfigError: it does, and the extra ``telemetry`` is not installed.
    """
    if not os.environ.get(ENDPOINT):
        return False
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"{ENDPOINT} is set; install the extra: pip install 'supportpilot[telemetry]'."
        ) from error
    tracing = TracerProvider()
    tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(tracing)
    metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())]))
    watch_turns()
    return True
