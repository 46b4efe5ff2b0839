import pytest

from evals.citations import by_overlap, citations, figures
from store.embedding import BundledEmbedder

PAIRS = [
    {"supported": True},
    {"supported": True},
    {"supported": False},
    {"supported": False},
    {"supported": False},
]


def test_the_figures_count_what_is_refused_among_wrong_and_right_pairs() -> None:
    found = figures(PAIRS, [True, False, False, True, False])
    assert (found["wrong_caught"]["value"], found["wrong_caught"]["n"]) == (0.6667, 3)
    assert (found["right_rejected"]["value"], found["right_rejected"]["n"]) == (0.5, 2)
    assert found["right_rejected"]["low"] < 0.5 < found["right_rejected"]["high"]


def test_overlap_alone_is_blind_to_a_swapped_number() -> None:
    passage = "Gift cards\nGift cards are valid for 2 years."
    assert by_overlap({"sentence": "Gift cards are valid for 9 years.", "passage": passage})
    assert not by_overlap({"sentence": "Scooters need helmets.", "passage": passage})


async def test_the_check_is_better_than_overlap_on_pairs_that_it_was_not_written_by() -> None:
    found = await citations(BundledEmbedder())
    caught = found["metrics"]["wrong_caught"]["value"]
    assert caught > found["baselines"]["string overlap"]["wrong_caught"]
    assert caught == pytest.approx(
        1 - sum(r["accepted"] and not r["supported"] for r in found["rows"]) / 183, abs=1e-4
    )
