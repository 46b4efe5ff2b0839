from datetime import UTC, datetime

from store.confidence import confidences, passage_features
from store.knowledge import Collection
from store.legs import Candidate, LexicalAnswer

COLLECTION = Collection(
    1, "c", "universal-sentence-encoder-multilingual-3", 512, "docs", 1, datetime.now(UTC), 10, 100, 5000
)


def candidate(key: str, text: str, score: float) -> Candidate:
    return Candidate(key, key, "", "", text, text, None, False, score)


def test_features_of_a_passage_by_hand() -> None:
    """Of the two terms one is in every chunk: its weight is log1p(0.5 / 100.5), the other's log1p(99.5 / 1.5)."""
    near, far = candidate("near", "发票 e1043", 0.6), candidate("far", "发票", 0.2)
    lexical = LexicalAnswer([near], {"发票": 100, "e1043": 1})
    first, second = passage_features(["发票", "e1043"], [near, far], lexical, [near, far], COLLECTION, {})
    assert (round(first["cosine"], 6), round(first["coverage"], 6)) == (0.6, 1.0)
    assert round(second["coverage"], 3) == 0.001


def test_words_that_no_passage_holds_and_a_foreign_language_are_seen() -> None:
    text = candidate("zh", "发票 抬头", 0.4)
    (mixed,) = passage_features(
        ["发票", "比特币"], [text], LexicalAnswer([text], {"发票": 50}), [text], COLLECTION, {}
    )
    assert (round(mixed["coverage"], 3), mixed["foreign"]) == (0.115, 0.0)
    (english,) = passage_features(["invoice"], [text], LexicalAnswer([], {}), [text], COLLECTION, {})
    assert (english["coverage"], english["foreign"]) == (0.0, 1.0)


def test_single_characters_beside_words_cover_nothing() -> None:
    text = candidate("zh", "比 特 币", 0.4)
    (features,) = passage_features(
        ["比特币", "比", "特", "币"], [text], LexicalAnswer([text], {}), [text], COLLECTION, {}
    )
    assert features["coverage"] == 0.0


def test_a_passage_that_only_the_lexical_leg_found_gets_the_lowest_cosine() -> None:
    only = candidate("only", "e1043", 9.0)
    (features,) = passage_features(
        ["e1043"], [only], LexicalAnswer([only], {"e1043": 1}), [candidate("x", "", 0.1)], COLLECTION, {}
    )
    assert features["cosine"] == 0.1


def test_more_agreement_means_more_confidence() -> None:
    good, bad = candidate("good", "退款 期限", 0.7), candidate("bad", "天气", 0.1)
    lexical = LexicalAnswer([good], {"退款": 2, "期限": 3})
    seen = passage_features(["退款", "期限"], [good, bad], lexical, [good, bad], COLLECTION, {})
    high, low = confidences(seen, COLLECTION.embedder)
    assert 0 < low < 0.2
    assert 0.5 < high < 1


def test_a_question_without_terms_has_a_confidence_too() -> None:
    seen = passage_features([], [candidate("a", "x", 0.1)], LexicalAnswer([], {}), [], COLLECTION, {})
    (value,) = confidences(seen, COLLECTION.embedder)
    assert 0 < value < 1
