from collections.abc import Iterator

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import nodes.scene
from graph.support import Support
from graph.telemetry import ENDPOINT, Telemetry, set_up_telemetry
from store.errors import ModelError

_QUESTION = "年付套餐买错了能退款吗"


class Sight:
    """What telemetry tells of turns."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        self.metrics = InMemoryMetricReader()
        tracing = TracerProvider()
        tracing.add_span_processor(SimpleSpanProcessor(self.spans))
        self.tracing, self.metering = tracing, MeterProvider([self.metrics])


@pytest.fixture
def sight(support: Support, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Sight, Support]]:
    """Telemetry of a graph of its own, kept in memory."""
    seen = Sight()
    monkeypatch.setattr(trace, "get_tracer", seen.tracing.get_tracer)
    monkeypatch.setattr(metrics, "get_meter", seen.metering.get_meter)
    graph = support.graph.with_config(callbacks=[Telemetry()])
    yield seen, Support(graph, support.resources)
    seen.metering.shutdown()


async def test_a_turn_is_one_trace_with_its_nodes_calls_tokens_and_route(
    sight: tuple[Sight, Support],
) -> None:
    seen, support = sight
    reply = await support.ask(_QUESTION)
    spans = seen.spans.get_finished_spans()
    by_name = {span.name: span for span in spans}
    turn = by_name["invoke_agent support"]
    assert {span.context.trace_id for span in spans if span.context} == {
        turn.context.trace_id if turn.context else 0
    }
    assert {"prepare", "route", "retrieve", "call", "review"} <= by_name.keys()
    called = by_name["chat offline"]
    assert called.attributes is not None
    assert called.attributes["gen_ai.usage.output_tokens"] == reply.usage["output"]
    assert (by_name["route"].attributes or {})["supportpilot.route"] == "fixed"
    assert 0 < float(str((by_name["call"].attributes or {})["supportpilot.watermark"])) < 1


async def test_what_was_said_is_in_no_span(sight: tuple[Sight, Support]) -> None:
    seen, support = sight
    reply = await support.ask(_QUESTION)
    told = "".join(span.to_json() for span in seen.spans.get_finished_spans())
    assert _QUESTION not in told
    assert reply.answer[:20] not in told


async def test_tokens_and_durations_are_measured_by_operation(sight: tuple[Sight, Support]) -> None:
    seen, support = sight
    await support.ask(_QUESTION)
    data = seen.metrics.get_metrics_data()
    assert data is not None
    names = {m.name for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}
    assert {
        "gen_ai.client.token.usage",
        "gen_ai.client.operation.duration",
        "supportpilot.watermark",
    } <= names


async def test_a_turn_that_fails_is_a_failed_span_without_the_message(
    sight: tuple[Sight, Support], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ModelError("The model is out of reach.")

    monkeypatch.setattr(nodes.scene, "chat_model", fails)
    seen, support = sight
    with pytest.raises(ModelError):
        await support.ask(_QUESTION)
    turn = next(span for span in seen.spans.get_finished_spans() if span.name == "invoke_agent support")
    assert (turn.attributes or {})["error.type"] == "ModelError"
    assert not turn.events


def test_without_a_collector_nothing_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    assert set_up_telemetry() is False
