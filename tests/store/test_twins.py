from datetime import date

from store.legs import Candidate
from store.twins import newest_first, without_copies


def candidate(
    key: str, text: str, *, title: str = "", updated: date | None = None, deprecated: bool = False
) -> Candidate:
    return Candidate(f"{key}#1", key, title or key, title or key, text, text, updated, deprecated, 0.0)


def test_a_copy_leaves_its_place_to_the_next_passage() -> None:
    ranking = [
        (candidate("a", "验证旧号后更换，24 小时内只能换一次。"), 0.9),
        (candidate("b", "验证旧号后更换，24小时内只能换一次。"), 0.8),
        (candidate("c", "付款后 7 天内可退。"), 0.7),
    ]
    assert [kept.doc_id for kept, _ in without_copies(ranking, 2)] == ["a", "c"]


def test_passages_that_differ_in_a_value_are_no_copies() -> None:
    ranking = [
        (candidate("a", "付款后 30 天内可退款。"), 0.9),
        (candidate("b", "付款后 7 天内可退款。"), 0.8),
    ]
    assert len(without_copies(ranking, 5)) == 2


def test_versions_under_the_same_headings_stand_newest_first() -> None:
    ranking = [
        (candidate("old", "30 天", title="退款期限", updated=date(2023, 5, 1)), 0.9),
        (candidate("other", "发票", updated=date(2020, 1, 1)), 0.8),
        (candidate("new", "7 天", title="退款期限", updated=date(2025, 6, 1)), 0.7),
    ]
    ordered = newest_first(ranking)
    assert [each.doc_id for each, _ in ordered] == ["new", "other", "old"]
    assert [score for _, score in ordered] == [0.9, 0.8, 0.7]


def test_a_deprecated_version_stands_last_even_without_dates() -> None:
    ranking = [
        (candidate("old", "30 天", title="退款期限", deprecated=True), 0.9),
        (candidate("new", "7 天", title="退款期限"), 0.1),
    ]
    assert [each.doc_id for each, _ in newest_first(ranking)] == ["new", "old"]
