import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citations import split_sentences
from nodes.citations.sentences import without_bullet


@given(st.text(alphabet=st.sampled_from('a B1.。!？?；;「」"“”[]#()`~|-\n 、例')), st.text(max_size=30))
def test_the_pieces_join_to_the_answer(text: str, tail: str) -> None:
    assert "".join(split_sentences(text + tail)) == text + tail


@pytest.mark.parametrize(
    ("answer", "sentences"),
    [
        (
            "年付可以退[kb-2#1]。月付不退。[kb-2#2] 还有吗？",
            ["年付可以退[kb-2#1]。", "月付不退。[kb-2#2] ", "还有吗？"],
        ),
        (
            "See e.g. the docs. It is $3.5. [kb-1#2] Done!",
            ["See e.g. the docs. ", "It is $3.5. [kb-1#2] ", "Done!"],
        ),
        (
            "Go to https://x.com/a.b?c=d. Then v3.5. Yes",
            ["Go to https://x.com/a.b?c=d. ", "Then v3.5. ", "Yes"],
        ),
        ("要点：\n1. 免费版。[a#1]\n2. 专业版\n", ["要点：\n", "1. 免费版。[a#1]\n", "2. 专业版\n"]),
        ("原文：「可以。不行。」[a#1]", ["原文：「可以。不行。」[a#1]"]),
        ('It says: "A is b. C is d." [a#1] So.', ['It says: "A is b. C is d." [a#1] ', "So."]),
        ("年付可退[a#1]；月付不退[a#2]。", ["年付可退[a#1]；", "月付不退[a#2]。"]),
        ("先保存；再导入。", ["先保存；再导入。"]),
        ("It ends at 5 p.m. on no. 5. Next", ["It ends at 5 p.m. on no. 5. ", "Next"]),
        ("A line\nthat goes on. [a#1]\n[b#2]\n\nNext.", ["A line\nthat goes on. [a#1]\n[b#2]\n\n", "Next."]),
        ("| a. | b. |\n| - | - |\n", ["| a. | b. |\n| - | - |\n"]),
        ("```\na. b.\n```\nText.", ["```\na. b.\n```\n", "Text."]),
        ("The answer is no. Yes.", ["The answer is no. ", "Yes."]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(answer: str, sentences: list[str]) -> None:
    assert split_sentences(answer) == sentences


@pytest.mark.parametrize("text", ["- 可以。", "* 可以。", "  3. 可以。\n", "2) 可以。", "可以。"])
def test_a_bullet_is_no_part_of_the_sentence(text: str) -> None:
    assert without_bullet(text) == "可以。"
