import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from evals import compaction, pollution, tokenizers, validity, window_times
from evals.baselines import baselines
from evals.counting import Request, cached
from evals.dialogues import DATA, generate, load, prose_dialogue
from evals.figures import density, density_used, figures
from evals.intervals import metric
from evals.jsonl import DataError, rows
from evals.model_notes import _served, _written, model_notes
from evals.policies import POLICIES, Run, budget, run_policy
from evals.probes import probe_figures, probed
from evals.relevance import contains
from evals.results import broken
from evals.retention import retained
from evals.suite import Options
from evals.summarisers import SUMMARISERS, lie, summarisers
from evals.tokenizers import estimator_errors
from evals.validity import invalid_windows
from nodes.window.account import CallRecord
from nodes.window.advance import Scene
from nodes.window.compaction import Compaction
from nodes.window.ledger import Ledger
from nodes.window.notes import Note
from nodes.window.plan import WindowPlan
from nodes.window.render import Window
from nodes.window.simulate import Call
from nodes.window.tokens import content_text
from store.settings import Settings


def _request(*parts: str, uncached: int = 0, hit: int = 0) -> Request:
    return Request(parts, 0, uncached, hit)


def test_a_request_serves_from_the_cache_what_it_begins_with_in_common() -> None:
    same, changed = _request("甲" * 50, "乙" * 50), _request("甲" * 50, "丙" * 50)
    assert cached([same, same])[1] == same.size
    assert cached([same, changed])[1] == _request("甲" * 50).size


def test_costs_and_breaks_by_hand() -> None:
    one = _request("甲" * 1_000)
    other = _request("乙" * 500, uncached=100, hit=1_000)
    found = figures([one, one, other], limit=10_000)
    size, small = one.size, other.size
    assert found["breaks"] == 1
    assert found["rewritten_tokens"] == size
    assert found["cost_k@0.1"] == pytest.approx((size + 0.1 * size + small + 100 + 100) / 1_000)
    assert found["hit_ratio"] == pytest.approx(size / (2 * size + small))
    assert (found["over_budget_calls"], figures([one, one, other], limit=size - 1)["over_budget_calls"]) == (
        0, 2,
    )  # fmt: skip


def test_density_counts_the_values_that_a_window_holds() -> None:
    window = _request("DD1 DD2 " + "字" * 400)
    assert density([window] * 3, [["DD1", "DD2", "DD3"]] * 3) == pytest.approx(2_000 / window.size)


def test_a_result_counts_as_used_when_two_of_its_terms_are_said_later() -> None:
    used, unused = "单号 SP37643310 金额 686.16", "别的 ZZ99999999 数字 12345.6"
    log = [
        HumanMessage("查"),
        ToolMessage(used, tool_call_id="a"),
        ToolMessage(unused, tool_call_id="b"),
        AIMessage("单号是 SP37643310,金额 686.16"),
    ]
    assert 0.3 < density_used(log) < 0.7
    assert density_used(log[:3]) == 0.0


def test_a_broken_bound_is_named_with_its_value() -> None:
    metrics: dict[str, dict[str, float]] = {"breaks": {"value": 10}, "hit_ratio": {"value": 0.9}}
    assert broken(metrics, {"breaks": ("<=", 9), "hit_ratio": (">=", 0.89)}) == ["breaks = 10, bound <= 9"]


def test_the_same_seed_makes_the_same_dialogue_with_its_values_in_the_text() -> None:
    one, other = generate(1, 20), generate(1, 20)
    assert one.turns == other.turns
    text = "\n".join(content_text(m.content) for m in one.messages())
    assert all(value in text for turn in one.turns for value in turn.values)


def test_a_dialogue_is_read_from_json_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(
        '{"user": "查", "answer": "好", "calls": [], "facts": [], "fact_tool": null, "probes": [{"at": 1, "question": "?", "must_contain": ["好"]}]}\n'
    )
    dialogue = load(tmp_path / "mine.jsonl")
    assert (dialogue.name, len(dialogue.turns)) == ("mine", 1)
    assert dialogue.probes == [{"at": 1, "question": "?", "must_contain": ["好"]}]
    assert dialogue.system


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"user": "查"}', "'answer' is missing"),
        (
            '{"user": "查", "answer": "好", "calls": [{"id": "1", "name": "f", "args": {}}]}',
            "'result' is missing",
        ),
        ('{"user": "查", "answer": "好", "facts": "12 元"}', "'facts' must be a list"),
    ],
)
def test_a_turn_of_another_form_is_named(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "mine.jsonl").write_text(line)
    with pytest.raises(DataError, match=rf"mine\.jsonl, line 1.*{said}"):
        load(tmp_path / "mine.jsonl")


async def test_a_dialogue_of_ones_own_is_compacted_and_its_probes_are_asked(tmp_path: Path) -> None:
    made = generate(5, 40).turns
    lines = [asdict(turn) for turn in made]
    lines[0]["probes"] = [{"at": 1, "question": made[0].user, "must_contain": made[0].values[:1]}]
    data = tmp_path / "mine.jsonl"
    data.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), "utf-8")
    found = await compaction.run([data], others=False)
    assert (found["dataset"], {row["id"] for row in found["rows"]}) == (
        "mine", {f"mine.12000.{name}" for name in SUMMARISERS},
    )  # fmt: skip
    assert found["metrics"]["retention.lying"]["value"] == 1
    assert found["metrics"]["probe_accuracy"] == metric(1, 1, rate=True)


async def test_a_dialogue_without_values_has_nothing_to_keep(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text('{"user": "查", "answer": "好"}')
    with pytest.raises(DataError, match="mine: no turn has 'facts'"):
        await compaction.run([tmp_path / "mine.jsonl"])


def test_prose_holds_no_digit_and_its_notes_answer_its_probes() -> None:
    points = rows(DATA / "prose.jsonl")
    assert len(points) >= 200
    assert len({point["id"] for point in points}) == len(points)
    for point in points:
        assert not any(map(str.isdigit, point["user"] + point["answer"] + point["note"]))
        assert contains(point["note"], point["must_contain"])
        assert contains(point["user"] + point["answer"], point["must_contain"])


async def test_every_policy_costs_less_than_the_one_before_and_stays_valid_and_in_budget() -> None:
    dialogue, costs = generate(31, 40), []
    for name, (policy, notes) in POLICIES.items():
        done = await run_policy(
            dialogue, budget(12_000), policy, summarisers(dialogue)["oracle"] if notes else None
        )
        assert done.invalid == 0
        found = figures(done.requests, 18_000)
        assert name == "none" or found["over_budget_calls"] == 0
        costs.append(found["cost_k@0.1"])
    assert costs[0] > 1.5 * costs[1]
    assert costs[1] > costs[2] > costs[-1]


async def test_every_value_survives_every_summariser() -> None:
    dialogue = generate(32, 40)
    for name, writer in summarisers(dialogue).items():
        done = await run_policy(dialogue, budget(8_000), summariser=writer)
        row = retained(dialogue, done)
        assert len(done.compactions) >= 5
        assert (row["retention"], row["unsupported"]) == (1.0, 0)
        assert any(one.failure for one in done.compactions) is (name in ("empty", "lying"))


async def test_values_that_neither_the_window_nor_a_replay_holds_and_invented_notes_are_counted() -> None:
    dialogue = generate(32, 40)
    done = await run_policy(dialogue, budget(8_000), summariser=summarisers(dialogue)["empty"])
    plan = replace(done.plans[-1], ledger=Ledger(), notes=(Note("facts", (1,), "共9731元"),))
    lost = Run(windows=[done.windows[-1][-1:]], plans=[plan], sent=done.sent[-1:])
    row = retained(dialogue, lost)
    assert row["in_window"] == row["retention"] < 0.1
    assert row["unsupported"] == 1


async def test_prose_is_known_after_compaction_with_an_ideal_summary_and_one_replay_away_without() -> None:
    dialogue = prose_dialogue(rows(DATA / "prose.jsonl")[:12], 1)
    runs = [
        await run_policy(dialogue, budget(12_000), summariser=summarisers(dialogue)[name])
        for name in ("oracle", "empty")
    ]
    ideal, without = [probed(dialogue, run.windows[-1], run.plans[-1]) for run in runs]
    assert len(ideal) >= 10
    assert all(shown for _, shown in ideal)
    assert all(known and not shown for known, shown in without)


async def test_probes_of_ones_own_are_asked_and_what_was_never_said_is_counted_as_lost() -> None:
    turns = generate(1, 40).turns
    probe = {"at": 1, "question": turns[0].user, "must_contain": [turns[0].values[0]]}
    never = probe | {"must_contain": ["9731 元"]}
    shown = probe | {"at": 40}
    found = await probe_figures([replace(generate(1, 40), probes=[probe, never, shown])])
    assert found["probe_accuracy"] == metric(0.5, 2, rate=True), "the turn of one is still shown"
    assert found["distortion"]["value"] == 0.5
    assert await probe_figures([generate(1, 3)]) == {}


async def test_a_chat_models_notes_are_probed_and_its_cache_serves_what_was_predicted(
    config: Settings,
) -> None:
    options = Options(config.model_copy(update={"chat_model": "offline"}), sample=2)
    metrics = await model_notes(options, rows(DATA / "prose.jsonl"))
    found = {name: each["value"] for name, each in metrics.items()}
    assert found["in_window.model"] == 1
    assert found["probe_accuracy.model"] == 1
    assert found["cached_reported.model"] > 0.5
    assert found["cached_difference.model"] < 0.1
    assert metrics["lines_dropped.model"]["n"] > 0


def _call(*, predicted: int = 0, compaction: Compaction | None = None) -> Call:
    record = CallRecord(
        turn=1, sent=1, moves=0, estimated=100, zones={}, limit=1_000, high=500, watermark=0.1, cached_predicted=predicted,
    )  # fmt: skip
    return Call(record, Window([], {}), WindowPlan(), compaction, 0.0)


def test_refused_lines_failed_compactions_and_a_wrong_prediction_are_counted() -> None:
    done = [Compaction(WindowPlan(), accepted=3, dropped=1), Compaction(WindowPlan(), failure="empty")]
    written = _written([_call(compaction=one) for one in done])
    assert [written[f"{name}.model"]["value"] for name in ("lines_dropped", "compactions_failed")] == [
        0.25, 0.5,
    ]  # fmt: skip
    served = _served([_call(predicted=80)], [(200, 20)])
    assert [served[f"cached_{name}.model"]["value"] for name in ("predicted", "reported", "difference")] == [
        0.8, 0.1, pytest.approx(0.7),
    ]  # fmt: skip


def test_a_lie_changes_every_line() -> None:
    assert lie("## facts\n- T1 退款") == "## facts\n- T1 退款 共9731元"


async def test_refuted_values_are_not_repeated_where_they_are_marked() -> None:
    found = await pollution.run(cases=24)
    assert found["metrics"]["pollution"]["value"] == 0
    assert found["metrics"]["pollution_without_marks"]["value"] > 0.5
    assert found["broken"] == []


def test_arbitrary_windows_are_valid() -> None:
    assert set(invalid_windows(200, seed=5).values()) == {0.0}


def test_windows_that_never_shrink_or_lose_results_and_the_question_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, numbers = Scene.window, count()

    def spoilt(scene: Scene, plan: WindowPlan, log: Sequence[BaseMessage]) -> Window:
        kept = [one for one in whole(scene, plan, log).messages if one.type not in ("tool", "human")]
        return replace(whole(scene, plan, log), messages=[*kept, HumanMessage(f"? {next(numbers)}")])

    monkeypatch.setattr(validity, "advance", lambda plan, *_: plan)
    assert invalid_windows(60)["generated.over_budget"] > 0
    monkeypatch.setattr(Scene, "window", spoilt)
    assert all(wrong > 0 for wrong in invalid_windows(60).values())


@pytest.mark.parametrize("tool", ["recall_history", "read_result"])
def test_what_a_replay_does_not_bring_back_is_counted(monkeypatch: pytest.MonkeyPatch, tool: str) -> None:
    monkeypatch.setattr(window_times, "LONGEST", 300)
    assert window_times.replay_times()["replay_found"]["value"] == 1
    monkeypatch.setattr(window_times, tool, lambda *_, **__: "T0\nanother turn")
    assert window_times.replay_times()["replay_found"]["value"] < 1


@pytest.mark.filterwarnings("ignore:Importing .* from langgraph.constants")  # how langmem imports
def test_baselines_lead_every_call_and_a_window_that_parts_a_result_from_its_call_is_invalid() -> None:
    dialogue = generate(31, 14)
    runs = {name: lead(dialogue) for name, lead in baselines(4_000).items()}
    calls = sum(isinstance(message, AIMessage) for message in dialogue.messages())
    assert {name: len(run.requests) for name, run in runs.items()} == dict.fromkeys(runs, calls)
    assert runs["trim_messages"].invalid == 0 < runs["trim_messages without start_on"].invalid
    assert max(one.size for one in runs["trim_messages"].requests) < 6_000


def test_the_error_of_an_estimate_is_that_of_a_new_model_and_after_it_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokenizers, "vocabularies", lambda: {"gpt-4o": lambda text: 3 * len(text)})
    errors = {name: error for name, (error, _) in estimator_errors([generate(1, 10)]).items()}
    assert errors["estimate_error_p95.before.gpt-4o"] > 0.5 > errors["estimate_error_p95.after.gpt-4o"]
    assert errors["estimate_lowest.unknown.gpt-4o"] < -0.5
    monkeypatch.setattr(tokenizers, "vocabularies", dict)
    assert estimator_errors([generate(1, 10)]) == {}
