import pytest

from evals.scale_turns import figures


def test_growth_is_the_last_turns_against_the_first_and_against_the_bare_graph() -> None:
    rows = [{"ms": 40.0, "bare_ms": 20.0}] * 20 + [{"ms": 999.0, "bare_ms": 999.0}] * 60
    rows += [{"ms": 60.0, "bare_ms": 50.0}] * 20
    metrics, bare = figures(100, rows, (4_000_000, 2_000_000), 700_000)
    found = {name: each["value"] for name, each in metrics.items()}
    assert found["turns.latency_ratio_100"] == pytest.approx(1.5)
    assert found["turns.growth_ms_100"] == 20
    assert found["turns.growth_over_bare_ms_100"] == -10
    assert (found["turns.bytes_100"], bare["turns.bytes_100"]) == (4_000_000, 2_000_000)
    assert bare["turns.latency_ratio_100"] == 2.5
