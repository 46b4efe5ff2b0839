import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citations import CitationStream, bracket_ids, cite, cited_ids, keep_known, strip_citations

_KNOWN = {"a#1", "kb-1#2"}
_FRAGMENTS = st.sampled_from(
    [
        "[",
        "]",
        "#",
        "1",
        "a",
        "kb-1",
        "，",
        ", ",
        "、",
        " ",
        "\n",
        "](",
        "- [ ] ",
        "[1]",
        "[a#1]",
        "[b#2]",
        "[a#1, b#2]",
    ]
)


@st.composite
def _cut_texts(draw: st.DrawFn) -> list[str]:
    text = "".join(draw(st.lists(_FRAGMENTS, max_size=12)))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _stream(pieces: list[str]) -> str:
    stream = CitationStream(_KNOWN)
    return "".join([*(stream.feed(piece) for piece in pieces), stream.close()])


@given(_cut_texts())
def test_what_a_stream_shows_does_not_depend_on_where_the_text_is_cut(pieces: list[str]) -> None:
    assert _stream(pieces) == keep_known("".join(pieces), _KNOWN)


@given(_cut_texts())
def test_no_unknown_id_is_ever_shown(pieces: list[str]) -> None:
    assert set(cited_ids(_stream(pieces))) <= _KNOWN


@given(st.text(alphabet="[](){}- x1中，。\n", max_size=60))
def test_brackets_without_a_passage_id_pass_unchanged(text: str) -> None:
    assert keep_known(text, _KNOWN) == text


@given(_cut_texts())
def test_stripping_leaves_no_citation_of_a_text_without_nested_brackets(pieces: list[str]) -> None:
    text = "".join(pieces)
    if "[[" not in text and not any(c in strip_citations(text) for c in "[]"):
        assert cited_ids(strip_citations(text)) == []


def test_a_citation_is_held_back_until_it_is_whole() -> None:
    stream = CitationStream({"kb-002#1"})
    assert [stream.feed(t) for t in ("可以退款 ", "[kb", "-002#", "1]", "。")] == [
        "可以退款",
        "",
        "",
        " [kb-002#1]",
        "。",
    ]
    assert stream.close() == ""


def test_a_link_is_shown_as_soon_as_it_cannot_be_a_citation() -> None:
    stream = CitationStream(set())
    assert stream.feed("[说明](") == "[说明]("
    assert stream.feed("[x y") == "[x y"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("可以 [kb-9#9]。", "可以。"),
        ("可以[kb-1#2, kb-9#9]。", "可以[kb-1#2]。"),
        ("见 [1] 和 [说明](http://x.cn/a#1)，- [ ] 待办", "见 [1] 和 [说明](http://x.cn/a#1)，- [ ] 待办"),
        ("可以 [kb-1#", "可以"),
        ("可以 [见下", "可以 [见下"),
        ("[x[b#2]#3]", "[x ]#3]"),
    ],
)
def test_known_citations_stay_and_unknown_ones_go(text: str, shown: str) -> None:
    assert keep_known(text, _KNOWN) == shown


def test_ids_are_listed_once_in_order_also_from_shared_brackets() -> None:
    assert cited_ids("甲[b#2]，乙[a#1、b#2]，丙 [dir/x,y#10]") == ["b#2", "a#1", "dir/x,y#10"]


def test_ids_are_written_one_pair_of_brackets_each() -> None:
    assert cite(["a#1", "b#2"]) == "[a#1][b#2]"


def test_citations_are_stripped_with_the_blanks_in_front() -> None:
    assert strip_citations("A  [a#1][b#2]. B") == "A. B"


def test_bare_ids_of_given_passages_become_citations() -> None:
    known = ["kb-002#1", "kb-002#12"]
    text = "Yes (kb-002#1), see kb-002#12. Not kb-002#9, a/kb-002#1 or [kb-009#1, kb-002#1]."
    expected = "Yes [kb-002#1], see [kb-002#12]. Not kb-002#9, a/kb-002#1 or [kb-009#1, kb-002#1]."
    assert bracket_ids(text, known) == expected
    assert bracket_ids(expected, known) == expected
    assert bracket_ids(text, []) == text
