from evals.routing import costs, figures
from nodes.retrieve import UNSURE

ROWS = [
    {"route": "direct", "got": "direct"},
    {"route": "fixed", "got": "fixed"},
    {"route": "fixed", "got": "agentic"},
    {"route": "agentic", "got": "agentic"},
]


def test_the_figures_of_a_hand_made_confusion() -> None:
    found = {name: one["value"] for name, one in figures(ROWS, "got").items()}
    assert found == {
        "accuracy": 0.75,
        "precision.direct": 1.0,
        "recall.direct": 1.0,
        "precision.fixed": 1.0,
        "recall.fixed": 0.5,
        "precision.agentic": 0.5,
        "recall.agentic": 1.0,
        "taken_for_agentic": 0.5,
    }


def test_calls_are_compared_with_always_fixed_and_escalations_are_judged() -> None:
    def turn(policy: str, calls: int, kind: str, *, complete: bool, reason: str = "") -> dict[str, object]:
        return {"policy": policy, "model_calls": calls, "kind": kind, "complete": complete, "reason": reason}

    turns = [
        turn("fixed", 1, "single", complete=False),
        turn("agentic", 2, "single", complete=True),
        turn("routed", 2, "single", complete=True, reason=UNSURE),
        turn("fixed", 1, "unanswerable", complete=False),
        turn("agentic", 3, "unanswerable", complete=False),
        turn("routed", 1, "unanswerable", complete=False, reason=UNSURE),
    ]
    found = {name: one["value"] for name, one in costs(turns).items()}
    assert found["model_calls_per_question"] == 1.5
    assert found["always_fixed.model_calls_per_question"] == 1
    assert found["always_agentic.model_calls_per_question"] == 2.5
    assert (found["calls_to_fixed"], found["calls_to_fixed_answerable"]) == (1.5, 2.0)
    assert (found["escalated"], found["escalation_helped"], found["escalation_hurt"]) == (1.0, 1.0, 0.0)
