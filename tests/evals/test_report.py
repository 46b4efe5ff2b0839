"""The page of results and its drawings."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from evals import plots
from evals.intervals import metric
from evals.report import html
from evals.results import result
from evals.svg import draw, interval, number, ticks


def found(**more: Any) -> dict[str, Any]:
    return result(
        "window",
        n=3,
        dataset="small",
        metrics={"rate": metric(0.5, 4, rate=True), "ms": metric(3.0, 2)},
        bounds={"rate": (">=", 0.9)},
        baselines={"other <b>": {"rate": 0.25}},
        rows=[{"id": "a", "got": "<i>", "failed": True}, {"id": "b", "got": "fine"}],
        **more,
    )


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  # the signature
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take `<line …/>` as closed at once."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_states_figures_intervals_baselines_bounds_and_failures() -> None:
    page = html([found(about="what calls cost", how=["Dialogues are replayed."])])
    assert all(
        text in page for text in ("0.15 to 0.85", "&gt;= 0.9", "other &lt;b&gt;", "Dialogues are replayed.")
    )
    assert "Bound broken: rate = 0.5, bound &gt;= 0.9" in page
    assert "1 cases" in page
    assert "<code>a</code>" in page
    assert "<code>b</code>" not in page


def test_the_page_is_whole_and_needs_nothing_beside_itself() -> None:
    drawn = [
        plots.lines("t", {"a": [(0, 0), (1, 1)], "b": [(0, 1)]}, x="x", y="y", ideal=True),
        plots.lines("t", {"a": [(10, 1), (1000, 5)]}, x="x", y="y", log=True),
        plots.stack("t", {"a": [1, 2], "b": [3, 4]}, x="x", y="y"),
        plots.bars("t", {"a": 1, "b": 0}),
        plots.matrix("t", [("a", "a"), ("a", "b")], rows="label", columns="got"),
    ]
    page = html([found(plots=drawn), found(live=True)])
    assert Balanced(page).open == []
    assert not re.search(r'(src|href)="(?!#)|@import|url\(', page)
    assert page.count("<figure>") == 5
    assert 'href="#window-live"' in page


def test_layers_stand_on_each_other() -> None:
    drawn = draw(plots.stack("t", {"a": [10, 10], "b": [30, 10]}, x="call", y="tokens"))
    lower, upper = re.findall(r'points="([^"]+)"', drawn)
    # The top of the lower layer is the bottom of the upper one; at the first call that is a quarter of the height.
    assert lower.split()[:2] == list(reversed(upper.split()[2:]))
    top, quarter = (float(points.split()[0].split(",")[1]) for points in (upper, lower))
    assert (top, quarter) == (10.0, 152.5)


def test_a_matrix_counts_each_answer_to_each_label() -> None:
    made = plots.matrix("t", [("a", "a"), ("a", "b"), ("b", "b"), ("a", "b")], rows="r", columns="c")
    assert made["names"] == ["a", "b"]
    assert made["cells"] == [[1, 2], [0, 1]]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.5, "0.5"), (0.12345, "0.1235"), (12.3456, "12.35"), (7226.4, "7,226"), (1_000_000, "1,000,000")],
)  # fmt: skip
def test_numbers_are_written_with_what_matters(value: float, text: str) -> None:
    assert number(value) == text


def test_ticks_are_round_and_inside() -> None:
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(1, 116) == [50, 100]
    assert ticks(3, 3) == [3]


def test_only_rates_are_drawn_on_the_scale_from_0_to_1() -> None:
    assert 'cx="60.0"' in interval(metric(0.5, 4, rate=True), {"other": 0.25})
    assert interval(metric(0.5, 4), {}) == ""
    assert interval({"value": 3.0, "low": 2.0, "high": 4.0, "n": 3}, {}) == ""
