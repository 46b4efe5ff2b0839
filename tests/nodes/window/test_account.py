from langchain_core.messages import HumanMessage

from nodes.window.account import account
from nodes.window.advance import Scene, advance
from nodes.window.budget import Budget
from nodes.window.estimator import Estimator, Meter
from nodes.window.plan import WindowPlan
from nodes.window.render import Fixed
from nodes.window.simulate import clear_only, no_policy, simulate
from tests.nodes.window.build import turn

SCENE = Scene(
    budget=Budget(window=5_000, reserve=500, high=3_000, low=1_000),
    fixed=Fixed.of("你是客服"),
    meter=Meter(Estimator("gpt-4o")),
)
LOG = [
    m.model_copy(update={"id": m.id or f"x{i}"})
    for i, m in enumerate([m for i in range(1, 16) for m in turn(i, ["果" * 600], "答" * 80)])
]


def test_zones_add_up_to_the_estimate_and_to_the_report() -> None:
    record = account(WindowPlan(), LOG[:5], SCENE)
    assert abs(sum(record.zones.values()) - record.estimated) <= 3
    reported = record.reported(2_000, 500)
    assert abs(sum(reported.zones_actual.values()) - 2_000) <= 3
    assert reported.watermark == 2_000 / 4_500


def test_without_a_move_the_whole_request_before_is_predicted_cached() -> None:
    plan = WindowPlan(opened=True)
    before = SCENE.size(plan, LOG[:3])
    record = account(plan, LOG[:5], SCENE, sent=(plan, 3))
    assert (record.cached_predicted, record.lost, record.broke, record.cause) == (before, 0, False, "")


def test_a_move_is_a_break_with_its_cause_and_what_it_freed() -> None:
    log = [*LOG[:24], HumanMessage("新", id="new")]
    plan = advance(WindowPlan(opened=True), log, SCENE)
    record = account(plan, log, SCENE, sent=(WindowPlan(opened=True), 23))
    assert record.broke
    assert record.cause == "trim + clear"
    assert record.freed > 2_000
    assert record.lost > 2_000


def test_a_filling_window_warns() -> None:
    record = account(WindowPlan(), LOG[:1], SCENE)
    assert record.warning == ""
    assert "filling" in record.reported(3_300, 0).warning
    assert "split" in record.reported(4_000, 0).warning


async def test_a_recorded_thread_is_replayed_under_other_policies() -> None:
    size = {}
    for name, policy in {"none": no_policy, "clear": clear_only, "all": advance}.items():
        calls = [call async for call in simulate(LOG, SCENE, policy=policy)]
        assert len(calls) == 30
        size[name] = sum(call.record.estimated for call in calls)
    assert size["all"] < size["clear"] < size["none"]
