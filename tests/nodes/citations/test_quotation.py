import pytest

from nodes.citations.quotation import repeats

PASSAGE = """Rental > Bikes
**How long?** Up to three days, see the [price list](https://example.com/p). Cargo bikes do not come with a lock.

| Bike | Deposit | Per day |
| --- | --- | --- |
| City | 50 euros | 9 euros |
"""


@pytest.mark.parametrize(
    "sentence",
    [
        "“How long?”: Up to three days, see the price list.",
        "Cargo bikes do not come with a lock.",
        "Bike: City; Deposit: 50 euros; Per day: 9 euros",
    ],
)
def test_whole_clauses_of_a_passage_are_repeated(sentence: str) -> None:
    assert repeats(sentence, PASSAGE)


@pytest.mark.parametrize(
    "sentence",
    [
        "Cargo bikes do",
        "Cargo bikes come with a lock.",
        "Bike: City; Deposit: 9 euros",
        "",
        "“Up to three days”, always.",
    ],
)
def test_a_part_of_a_clause_or_other_words_are_not(sentence: str) -> None:
    assert not repeats(sentence, PASSAGE)
