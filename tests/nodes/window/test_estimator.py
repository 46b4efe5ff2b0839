import json
import random

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from nodes.window.counts import Counts, message_counts, text_counts, total
from nodes.window.estimator import Estimator, Meter, Usage, family


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-4o-mini", "o200k"),
        ("openai/gpt-4.1", "o200k"),
        ("o3-mini", "o200k"),
        ("gpt-4-turbo", "cl100k"),
        ("Qwen2.5-Coder-1.5B-Instruct", "qwen"),
        ("qwen3-32b", "qwen"),
        ("qwen3.6-plus", "qwen3.5"),
        ("qwen-plus", "qwen3.5"),
        ("deepseek-r1-distill-qwen-7b", "qwen3.5"),
        ("deepseek-chat", "deepseek"),
        ("offline", "unknown"),
    ],
)
def test_the_model_name_tells_the_tokenizer(name: str, expected: str) -> None:
    assert family(name) == expected


def test_texts_are_counted_by_script() -> None:
    assert text_counts("退款1234元, ok!é😀") == Counts(
        han=3, digit_groups=2, digits=4, letters=2, marks=2, wide=4
    )


def test_messages_count_calls_and_results() -> None:
    call = {"id": "c", "name": "f", "args": {}, "type": "tool_call"}
    assert message_counts(AIMessage("", tool_calls=[call, call])).calls == 2
    assert message_counts(ToolMessage("", tool_call_id="c")).calls == 1
    assert message_counts(HumanMessage("年")).messages == 1


def test_counts_add_and_subtract() -> None:
    both = total([text_counts("年付"), text_counts("12")])
    assert both.minus(text_counts("12")) == text_counts("年付")


TRUE = (0.9, 1.9, -0.2, 0.24, 1.2, 1.1, 9, 12, 2, 150)
"""A tokenizer that no family describes exactly."""


def _requests(seed: int, n: int) -> list[Counts]:
    rng = random.Random(seed)  # noqa: S311  # sizes, not secrets
    grown, requests = Counts(tools=5, requests=1, letters=900, marks=120), []
    for _ in range(n):
        numbers = rng.randint(0, 9)
        grown = grown.plus(
            Counts(
                han=rng.randint(5, 700),
                digit_groups=3 * numbers,
                digits=8 * numbers,
                letters=rng.randint(0, 300),
                marks=rng.randint(0, 60),
                wide=rng.randint(0, 60),
                messages=rng.randint(1, 4),
                calls=rng.randint(0, 3),
            )
        )
        if grown.han > 9_000:
            grown = grown._replace(han=2_000, letters=600, messages=8, calls=4)
        requests.append(grown)
    return requests


def _real(counts: Counts) -> int:
    return round(sum(w * c for w, c in zip(TRUE, counts, strict=True)))


def test_reports_bring_the_error_below_one_percent_also_after_the_window_shrank() -> None:
    meter, errors = Meter(Estimator("gpt-4o")), []
    for counts in _requests(seed=3, n=80):
        if meter.last is not None:
            errors.append(abs(meter.request(counts) / _real(counts) - 1))
        meter = meter.learned(counts, _real(counts))
    assert sorted(errors)[int(len(errors) * 0.95)] <= 0.01


def test_a_new_process_starts_calibrated() -> None:
    estimator = Estimator("gpt-4o")
    for counts in _requests(seed=5, n=40):
        estimator.learn(counts, _real(counts))
    stored = json.loads(json.dumps(estimator.to_dict()))
    again = Estimator.from_dict(stored)
    assert again.weights == pytest.approx(estimator.weights)
    unseen = _requests(seed=7, n=20)[-1]
    assert Meter(again).request(unseen) == pytest.approx(_real(unseen), rel=0.02)


def test_the_correction_is_not_clamped() -> None:
    estimator = Estimator("unknown model")
    counts = text_counts("退" * 1000)._replace(messages=1, requests=1)
    estimator.learn(counts, 5_000)
    assert Meter(estimator).request(counts) == pytest.approx(5_000, rel=0.02)
    assert Meter(estimator).learned(counts, 9_000).request(counts) == 9_000


def test_a_usage_is_stored_with_the_thread() -> None:
    usage = Usage(text_counts("年付 12"), 40)
    assert Usage.from_dict(json.loads(json.dumps(usage.to_dict()))) == usage
    assert Usage.from_dict(None) is None


def test_after_a_refusal_the_request_counts_as_more_than_the_limit() -> None:
    counts = text_counts("退" * 1_000)._replace(messages=1, requests=1)
    assert Meter(Estimator("gpt-4o")).too_long(counts, 4_000).request(counts) == 4_000


def test_a_refusal_teaches_the_estimator_of_all_threads_nothing() -> None:
    counts = text_counts("退" * 1_000)._replace(messages=1, requests=1)
    estimator = Estimator("gpt-4o")
    before = estimator.tokens(counts)
    Meter(estimator).too_long(counts, 120_000)
    assert estimator.tokens(counts) == before


@pytest.mark.parametrize("reported", [0, -5, 10])
def test_a_report_below_what_any_tokenizer_gives_is_not_believed(reported: int) -> None:
    counts = text_counts("退" * 1_000)._replace(messages=1, requests=1)
    meter = Meter(Estimator("gpt-4o"))
    before = meter.request(counts)
    assert meter.learned(counts, reported).request(counts) == before
