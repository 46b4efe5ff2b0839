from typing import Any
from xml.etree import ElementTree as ET

import pytest

from nodes.window.budget import Budget
from nodes.window.picture import ZONES, page, picture
from nodes.window.summary import summary


def _record(size: int, cached: int, **changes: Any) -> dict[str, Any]:
    plain = {
        "turn": 1, "sent": 1, "moves": 0, "estimated": size, "limit": 1_000, "high": 500, "watermark": size / 1_000,
        "zones": dict.fromkeys(ZONES, size // 5), "zones_actual": {}, "cached_predicted": cached, "lost": 0,
        "freed": 0, "broke": False, "cause": "", "actual": None, "cached_reported": None, "latency_ms": None,
        "replays": 0, "notes_accepted": 0, "notes_dropped": 0, "notes_failure": "",
    }  # fmt: skip
    return plain | changes


CALLS = [
    _record(100, 0),
    _record(200, 100, actual=220, cached_reported=90),
    _record(300, 200),
    _record(50, 10, broke=True, lost=290, moves=1, cause="trim <b>", notes_accepted=2, notes_dropped=1),
]
BUDGET = Budget(window=1_200, reserve=200, high=500, low=100)


def test_a_summary_prefers_what_the_provider_reported() -> None:
    total = summary(CALLS, BUDGET)
    assert (total.calls, total.moves, total.breaks, total.max_tokens) == (4, 1, 1, 300)
    assert total.mean_tokens == (100 + 220 + 300 + 50) / 4
    assert total.hit_ratio == pytest.approx((90 + 200 + 10) / 670)
    assert total.cost == pytest.approx(670 - 0.9 * 300)
    assert (total.rewritten, total.notes_accepted, total.notes_dropped) == (290, 2, 1)


def test_the_steps_that_are_left_follow_from_the_measured_growth() -> None:
    total = summary(CALLS, BUDGET)
    assert total.growth == 100  # 100 → 220 → 300
    assert total.steps_left == 9  # (1,000 − 50) / 100


def test_a_window_that_fills_up_is_said() -> None:
    assert "split" in summary([_record(900, 0)], BUDGET).warning
    assert "filling" in summary([_record(750, 0)], BUDGET).warning
    assert not summary(CALLS, BUDGET).warning


def test_the_picture_holds_every_zone_of_every_call_the_marks_and_the_moves() -> None:
    drawn = ET.fromstring(picture(CALLS))  # noqa: S314  # our own
    texts = [text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}g"))) == len(CALLS)
    assert {"high 500", "trim <b>", *ZONES} <= set(texts)
    assert "limit 1,000" not in texts


def test_the_page_escapes_what_it_shows() -> None:
    made = page("<x>", CALLS, summary(CALLS, BUDGET), "T1 <script>")
    assert "<script>" not in made
    assert "<x>" not in made
    assert "&lt;script&gt;" in made
