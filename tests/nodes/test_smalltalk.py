import pytest

from nodes.language import Language
from nodes.smalltalk import is_mere_talk, talk


@pytest.mark.parametrize(
    ("message", "lang", "words"),
    [
        ("你们的产品太垃圾了", "zh", "抱歉"),
        ("You people are useless.", "en", "sorry"),
        ("谢谢，之前的垃圾邮件没有了", "zh", "不客气"),
        ("在忙吗", "zh", "我在"),
    ],
)
def test_who_is_upset_hears_that_it_is_regretted_and_how_to_go_on(
    message: str, lang: Language, words: str
) -> None:
    said = talk(message, lang, "")
    assert words in said
    assert is_mere_talk(said, message)
