import pytest

from evals.scale import OURS, STOCK, figures


def test_growth_is_what_old_threads_take_more_than_young_ones_and_than_the_bare_graphs() -> None:
    row = {"first_ms": 40.0, "last_ms": 60.0, "bare_first_ms": 20.0, "bare_last_ms": 50.0}
    row |= {"bare_ours_first_ms": 20.0, "bare_ours_last_ms": 30.0}
    busy = {name: value + 500 for name, value in row.items()}  # the machine was busy: all take longer
    stored = {"": 4_000_000, STOCK: 2_000_000, OURS: 1_000_000}
    metrics, baselines = figures(200, [row, busy, row], stored, 700_000)
    bare, same = baselines.values()
    found = {name: each["value"] for name, each in metrics.items()}
    assert found["turns.latency_ratio_200"] == pytest.approx(1.5)
    assert found["turns.growth_ms_200"] == 20
    assert found["turns.growth_over_bare_ms_200"] == -10
    assert (found["turns.bytes_200"], bare["turns.bytes_200"]) == (4_000_000, 2_000_000)
    assert bare["turns.latency_ratio_200"] == 2.5
    assert (same["turns.bytes_200"], same["turns.growth_ms_200"]) == (1_000_000, 10)
