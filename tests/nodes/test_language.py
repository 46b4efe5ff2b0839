import pytest

from nodes.language import language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年付套餐买错了能退款吗", "zh"),
        ("Can I get a refund on a monthly plan?", "en"),
        ("导入时报 E1043 怎么办", "zh"),
        ("docker compose up 之后报错 connection refused 怎么办", "zh"),
        ("What does 红冲 mean?", "en"),
        ("", "zh"),
        ("😡 123", "zh"),
    ],
)
def test_a_text_is_in_the_language_of_most_of_its_words(text: str, expected: str) -> None:
    assert language(text) == expected
