from evals.handover import figures, grouping
from store.embedding import BundledEmbedder


def test_precision_and_recall_count_hand_overs_and_wishes() -> None:
    rows = [
        {"person": True, "got": True},
        {"person": True, "got": False},
        {"person": False, "got": True},
        {"person": True, "got": True},
        {"person": False, "got": False},
    ]
    found = figures(rows, "got")
    assert (found["precision"]["value"], found["recall"]["value"]) == (0.6667, 0.6667)
    assert figures([{"person": False, "got": False}], "got") == {}


async def test_pairs_of_one_meaning_are_counted_both_ways() -> None:
    asked = [
        ("支持比特币支付吗", "a"),
        ("支持比特币支付", "a"),
        ("有没有深色模式", "b"),
        ("有深色模式吗", "c"),
    ]
    found = await grouping([{"question": q, "group": g} for q, g in asked], BundledEmbedder())
    assert (found["gaps.pair_precision"]["value"], found["gaps.pair_recall"]["value"]) == (0.5, 1.0)
