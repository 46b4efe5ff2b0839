import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from store.markdown import blocks
from store.splitting import OVERLAP_WIDTH, PIECE_WIDTH, pieces
from store.text import width

LIMIT = PIECE_WIDTH + OVERLAP_WIDTH


def split(text: str) -> list[str]:
    return pieces(blocks(text))


def paragraph(number: int, words: int = 60) -> str:
    return f"Point {number} " + " ".join(f"w{number}x{i}" for i in range(words)) + "."


def test_a_section_that_fits_is_one_piece_as_it_was_written() -> None:
    text = "a\n\n- b\n  - c\n\n| d |\n| - |\n| e |\n\n```sh\nf\n```\n\n> g\n>\n> h"
    assert split(text) == [text]


def test_paragraphs_stay_whole_and_overlap_by_a_sentence() -> None:
    text = "\n\n".join(f"{paragraph(i)} Short end {i}." for i in range(12))
    parts = split(text)
    assert len(parts) > 2
    for before, after in itertools.pairwise(parts):
        overlap, _, rest = after.partition("\n\n")
        assert before.endswith(overlap)
        assert re.fullmatch(r"Short end \d+\.", overlap)
        assert rest.startswith("Point")


def test_list_items_stay_whole() -> None:
    items = [f"- item {i} {'x' * 90}\n  - detail {i}" for i in range(60)]
    parts = split("\n".join(items))
    assert len(parts) > 3
    assert all(part in "\n".join(items) and part.startswith("- item") for part in parts)


def test_table_rows_stay_whole_under_their_header() -> None:
    rows = [f"| code {i} | {i * 7} days |" for i in range(300)]
    head = "| code | time |\n| :-- | --- |\n"
    parts = split(head + "\n".join(rows))
    assert all(part.startswith(head) for part in parts)
    assert set("\n".join(parts).split("\n")) == {*head.strip().split("\n"), *rows}
    for before, after in itertools.pairwise(parts):
        assert before.split("\n")[-1] in after.split("\n")


def test_code_is_cut_between_lines_inside_closed_fences() -> None:
    lines = [f"call_{i}()" for i in range(600)]
    parts = split("1. Run:\n\n   ```python\n   " + "\n   ".join(lines) + "\n")
    assert len(parts) > 3
    for part in parts[1:]:
        assert part.split("\n")[0].strip() == "```python"
    for part in parts:
        assert part.split("\n")[-1].strip() == "```"
        assert part.count("```") == 2


def test_a_line_that_introduces_stays_with_what_follows() -> None:
    text = "\n\n".join(f"{paragraph(i, 20)}\n\n**Step {i}**\n\nDo it like this:" for i in range(30))
    assert not any(part.rstrip().endswith(("**", ":")) for part in split(text)[:-1])


def test_a_line_without_end_is_cut_all_the_same() -> None:
    for text in ("错误ERR_7" * 20_000, "https://example.com/" + "a" * 100_000, "词" * 100_000):
        parts = split(text)
        assert len(parts) > 50
        assert all(0 < width(part) <= LIMIT for part in parts)


def test_links_are_not_torn_by_the_overlap() -> None:
    text = " ".join(f"see [page {i}](https://example.com/{i}) and" for i in range(200))
    assert not any(re.match(r"[^\[]*\]\(", part) for part in split(text))


def test_an_edit_in_a_long_section_changes_the_pieces_around_it_only() -> None:
    rows = [f"| code {i} | {i * 7} days |" for i in range(600)]
    head = "| code | time |\n| --- | --- |\n"
    before = split(head + "\n".join(rows))
    rows[5:5] = ["| a new code | in two long weeks |", "| another one | never, or later |"]
    after = split(head + "\n".join(rows))
    assert len(set(after) - set(before)) <= 5


texts = st.lists(
    st.one_of(
        st.text(alphabet="ab 退款。，.\n-|`#>[]()*:", max_size=400),
        st.integers(1, 80).map(lambda n: "- item of a list\n" * n),
        st.integers(1, 80).map(lambda n: "| a | b |\n| - | - |\n" + "| cell | 单元格 |\n" * n),
        st.integers(1, 80).map(lambda n: "```sh\n" + "run --now\n" * n + "```\n"),
        st.integers(1, 900).map(lambda n: "长" * n),
        st.integers(1, 300).map(lambda n: "word " * n),
    ),
    max_size=8,
).map("\n\n".join)


@given(texts)
def test_pieces_are_bounded_and_hold_every_word(text: str) -> None:
    content = blocks(text)
    parts = pieces(content)
    assert all(part.strip() and width(part) <= LIMIT + 200 for part in parts)
    words = set(re.findall(r"\w+", " ".join(block.text for block in content)))
    assert len(max(words, default="", key=len)) > 200 or words <= set(re.findall(r"\w+", " ".join(parts)))
