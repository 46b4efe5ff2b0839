import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.chunking import SEPARATOR, Chunk, chunk, chunk_markdown
from store.documents import Document, read_document
from store.splitting import OVERLAP_WIDTH, PIECE_WIDTH
from store.text import width


def cut(text: str, title: str = "") -> list[Chunk]:
    return chunk_markdown(text, doc_id="kb", title=title)


def sections(text: str, title: str = "") -> list[str]:
    return [each.section for each in cut(text, title)]


def test_a_chunk_carries_the_chain_of_headings_above_it() -> None:
    chunks = cut("# 配送\n\n全国包邮，偏远地区除外。\n\n## 时效\n\n一般两天送达，节假日顺延。\n")
    assert [each.section for each in chunks] == ["配送", "配送 > 时效"]
    assert [each.id for each in chunks] == ["kb#1", "kb#2"]
    assert chunks[1].text == "一般两天送达，节假日顺延。"
    assert chunks[1].indexed == "配送 > 时效\n时效\n一般两天送达，节假日顺延。"
    assert {(each.doc_id, each.title) for each in chunks} == {("kb", "配送")}


def test_levels_that_are_skipped_and_second_titles_are_no_parents() -> None:
    text = "# A\n\n#### B\n\nbody of B\n\n###### C\n\nbody of C\n\n## D\n\nbody of D\n\n# E\n\nbody of E\n"
    assert sections(text) == ["A > B", "A > B > C", "A > D", "E"]


def test_equal_headings_are_told_apart_by_their_parents() -> None:
    part = "### Docker\n\nSet the level and restart the container {}.\n\n### Logs\n\nThey lie in the folder {}/logs.\n\n"
    chunks = cut(f"# Debug\n\n## App\n\n{part.format('app', 'app')}## Tool\n\n{part.format('tool', 'tool')}")
    assert [each.section for each in chunks] == [
        "Debug > App > Docker",
        "Debug > App > Logs",
        "Debug > Tool > Docker",
        "Debug > Tool > Logs",
    ]


def test_the_title_stands_in_front_when_the_article_has_no_level_one_heading() -> None:
    assert sections("Some words.\n\n## Limits\n\nTen seats at most.\n", title="Plans") == [
        "Plans",
        "Plans > Limits",
    ]


def test_a_title_that_differs_from_the_heading_is_searched_but_not_repeated_in_the_section() -> None:
    [only] = cut("# Plans and limits\n\nTen seats at most.\n", title="Plans")
    assert (only.section, only.indexed) == (
        "Plans and limits",
        "Plans > Plans and limits\nPlans and limits\nTen seats at most.",
    )


def test_sections_too_short_to_stand_alone_are_joined_and_keep_their_headings() -> None:
    text = "# 联系\n\n## 电话\n\n400-123\n\n## 邮箱\n\na@b.cn\n\n## 时间\n\n每天早上九点到晚上十点，节假日不休息。\n"
    joined, alone = cut(text)
    assert (joined.section, joined.text) == ("联系", "## 电话\n\n400-123\n\n## 邮箱\n\na@b.cn")
    assert joined.indexed == "联系\n电话\n400-123\n邮箱\na@b.cn"
    assert alone.section == "联系 > 时间"


def test_a_short_answer_to_a_whole_question_stands_alone() -> None:
    text = "# FAQ\n\n## Can I pay by bank transfer?\n\nYes.\n\n## Can I pay in instalments?\n\nNo.\n"
    assert sections(text) == ["FAQ > Can I pay by bank transfer?", "FAQ > Can I pay in instalments?"]


def test_a_code_with_one_sentence_stands_alone() -> None:
    text = "# Errors\n\n## E7\n\nThe file is too big.\n\n## E8\n\nThe file is no CSV.\n"
    assert sections(text) == ["Errors > E7", "Errors > E8"]


def test_short_sections_of_different_parents_are_not_joined() -> None:
    text = "# A\n\n## B\n\n### C\n\nx\n\n## D\n\n### E\n\ny\n"
    assert sections(text) == ["A > B > C", "A > D > E"]


def test_a_heading_without_text_joins_its_neighbour() -> None:
    [only] = cut("# A\n\n## B\n\n## C\n\nThe quota is raised on the first day of the month.\n")
    assert only.text == "## B\n\n## C\n\nThe quota is raised on the first day of the month."


@pytest.mark.parametrize(
    "text", ["", "\n \n", "# A\n\n## B\n\n## C\n", "![](a.png)\n\n---\n", "<!-- a -->", "。\n\n…"]
)
def test_an_article_without_words_has_no_chunks(text: str) -> None:
    assert cut(text) == []


def test_headings_alone_are_no_chunk_however_many() -> None:
    assert cut("".join(f"## Heading number {i}\n" for i in range(500))) == []


def test_a_long_section_keeps_its_heading_in_every_piece() -> None:
    chunks = cut(
        "# Rates\n\n## Fees\n\n" + "\n\n".join(f"The fee of plan {i} is {i} percent." for i in range(300))
    )
    assert len(chunks) > 5
    assert {each.section for each in chunks} == {"Rates > Fees"}
    assert all(each.indexed.startswith("Rates > Fees\nFees\n") for each in chunks)


def test_a_row_is_found_with_the_names_of_its_columns() -> None:
    rows = "\n".join(f"| 货币{i} | C{i:03} | 每日 |" for i in range(600))
    chunks = cut(f"# 汇率\n\n| 名称 | 代码 | 更新 |\n| --- | --- | --- |\n{rows}\n")
    [found] = [each for each in chunks if "C457" in each.indexed.split()][:1]
    assert found.indexed.startswith("汇率\n名称 代码 更新\n")


def test_headings_show_no_control_characters_and_search_folds_them() -> None:
    [only] = cut("# \u202e退\u200b款\u202c规则　ＶＩＰ\n\n七天\u00ad内\u00a0可退，运费由我们承担。\n")
    assert only.section == "退款规则 ＶＩＰ"
    assert only.indexed == "退款规则 VIP\n七天内 可退，运费由我们承担。"


def test_a_heading_of_emoji_only_is_a_heading() -> None:
    assert sections("# 🎁\n\n每月赠送三张优惠券。") == ["🎁"]


def test_an_edit_leaves_the_chunks_of_other_sections_as_they_were() -> None:
    part = "## Part {0}\n\n" + "The rule of part {0} has a reason.\n\n" * 90
    text = "# Rules\n\n" + "".join(part.format(i) for i in range(5))
    before = cut(text)
    after = cut(text.replace("The rule of part 2", "From May on, the rule of part 2", 1))
    for number in (0, 1, 3, 4):
        name = f"Rules > Part {number}"
        assert [c.text for c in after if c.section == name] == [c.text for c in before if c.section == name]
    assert len({c.text for c in after} - {c.text for c in before}) <= 3


def test_a_megabyte_without_a_space_is_cut_in_linear_time() -> None:
    chunks = cut(
        "# Log\n\n" + "导出失败ERR_TIMEOUT重试" * 60_000 + "\n\n## Cure\n\nRaise the limit to 60 seconds.\n"
    )
    assert max(len(each.text) for each in chunks) < PIECE_WIDTH
    assert chunks[-1].section == "Log > Cure"


def test_a_document_is_cut_under_its_own_id_and_title() -> None:
    document = read_document("faq/pay.mdx", "---\ntitle: 付款\n---\n<Note>支持**支付宝**。</Note>\n".encode())
    assert isinstance(document, Document)
    assert chunk(document) == [
        Chunk("faq/pay#1", "faq/pay", "付款", "付款", "支持**支付宝**。", "付款\n支持支付宝。")
    ]


words = st.text(alphabet="abcdeé退款发票 ", min_size=1, max_size=60).map(lambda text: " ".join(text.split()))
blocks = st.one_of(
    st.tuples(st.integers(1, 6), words).map(lambda each: "#" * each[0] + " " + each[1]),
    words,
    words.map(lambda text: f"- {text}\n  1. {text}x\n- y"),
    words.map(lambda text: f"| {text} | k |\n| --- | --- |\n| v | {text} |"),
    words.map(lambda text: f"```\n# {text}\n```"),
    words.map(lambda text: f"> [!NOTE]\n> {text}"),
    words.map(lambda text: f'!!! tip "{text}"\n    {text}'),
    words.map(lambda text: f'<Tab title="{text}">\n\n{text}\n\n</Tab>'),
    words.map(lambda text: f"<details><summary>{text}</summary>{text}</details>"),
    words.map(lambda text: f"{text}\n" * 80),
)
articles = st.lists(blocks, max_size=12).map("\n\n".join)


@given(articles)
def test_every_word_of_the_text_is_in_some_chunk(text: str) -> None:
    indexed = " ".join(each.indexed for each in cut(text, title="t"))
    body = re.sub(r"(?m)^#.*$", "", re.sub(r"```\n# (.*)\n```", r"\1", text))
    body = re.sub(r"""</?\w+|title=|>|\[!NOTE\]|!!! tip|\d\.|[-|`"#]""", " ", body)
    assert {w for w in body.split() if w.isalnum()} <= set(re.findall(r"\w+", indexed))


@given(articles)
def test_chunks_are_numbered_bounded_and_never_empty(text: str) -> None:
    chunks = cut(text)
    assert chunks == cut(text)
    assert [each.id for each in chunks] == [f"kb#{number}" for number in range(1, len(chunks) + 1)]
    for each in chunks:
        assert any(map(str.isalnum, each.text))
        assert not all(line.startswith("#") for line in each.text.split("\n") if line)
        assert width(each.text) <= PIECE_WIDTH + OVERLAP_WIDTH + 200
        assert "\n" not in each.section
        assert each.section.split(SEPARATOR)[0]


@given(st.text())
def test_any_text_is_cut(text: str) -> None:
    for each in cut(text):
        assert "\r" not in each.text
        assert "\x00" not in each.text


@given(
    st.lists(
        st.sampled_from(
            ["# a", "## b", "x " * 30, "<A>", "</A>", "```", "- ", "> ", "<!--", "|a|\n|-|", "    "]
        )
    )
)
def test_what_is_never_closed_hides_nothing(parts: list[str]) -> None:
    chunks = cut("\n\n".join([*parts, "~~~", "the last words", "~~~"]))
    assert any("the last words" in each.indexed for each in chunks)
