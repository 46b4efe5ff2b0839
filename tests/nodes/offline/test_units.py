from hypothesis import given
from hypothesis import strategies as st

from nodes.offline.request import Source
from nodes.offline.units import units


def _units(text: str) -> list[str]:
    return [u.text for u in units(Source("a#1", "", text), 0)]


def test_a_paragraph_is_its_sentences() -> None:
    assert _units("年付可以退款。月付不能退款！\n联系客服。") == [
        "年付可以退款。",
        "月付不能退款！",
        "联系客服。",
    ]
    assert _units("Plans renew, e.g. monthly. See Billing v2.1 for more. Done.") == [
        "Plans renew, e.g. monthly.",
        "See Billing v2.1 for more.",
        "Done.",
    ]


def test_a_scrap_without_a_word_is_no_sentence() -> None:
    assert _units("It has nr. 2. It means the second one.") == ["It has nr.", "It means the second one."]


def test_a_quotation_stays_with_its_sentence() -> None:
    assert _units("点击「确定？」按钮。完成。") == ["点击「确定？」按钮。", "完成。"]


def test_a_sign_that_marks_a_quotation_at_the_beginning_of_a_line_stays_within_it() -> None:
    assert _units("> Choose Loans > Lent.") == ["Choose Loans > Lent."]
    assert _units("What??? That. C:::D is no container.") == ["What???", "That.", "C:::D is no container."]


def test_titles_and_mere_links_are_no_sentences() -> None:
    found = units(Source("a#1", "", "**Warning**\n\nIt ends soon.\n\n**Do it now.**\n\n**Is it?** Yes."), 0)
    assert [(u.heading, u.lead, u.text) for u in found] == [
        ("Warning", "", "It ends soon."),
        ("Warning", "", "Do it now."),
        ("Warning", "Is it?", "Yes."),
    ]
    links = "There is an app.\n\n- [Credits](https://a.b)\n- [Store](https://c.d) for phones\n- plain"
    assert _units(links) == ["There is an app.", "Store for phones", "plain"]


def test_a_row_reads_as_header_and_value() -> None:
    table = "| 套餐 | 账本 |\n| --- | --- |\n| 免费版 | 1 个 |\n| 专业版 | |"
    assert _units(table) == ["套餐: 免费版; 账本: 1 个", "套餐: 专业版"]


def test_a_word_that_names_what_stands_behind_it_is_its_label_and_no_answer() -> None:
    text = "接口路径\n\n`GET /export`\n\n说明\n\n返回全部流水。\n\n可以。"
    found = units(Source("a#1", "", text), 0)
    assert [(u.text, u.kind) for u in found] == [
        ("接口路径", "label"),
        ("接口路径： `GET /export`", "code"),
        ("说明", "label"),
        ("返回全部流水。", "paragraph"),
        ("可以。", "paragraph"),
    ]
    assert [u.lead for u in found] == ["", "接口路径：", "", "说明：", ""]


def test_quotes_have_the_characters_of_the_article_without_its_marks() -> None:
    assert _units(r"点击“负债 > 借出”，再按 \[+\]，*不要*按 `a\*b`。") == [
        "点击“负债 > 借出”，再按 [+]，不要按 `a\\*b`。"
    ]
    assert _units("> 先备份。") == ["先备份。"]


def test_steps_keep_their_numbers_and_what_introduces_them() -> None:
    found = units(Source("a#1", "", "按下面做：\n\n1. 打开**账单**。\n2. 点击[退款](x.md)。"), 0)
    assert [(u.text, u.step, u.lead) for u in found[1:]] == [
        ("打开账单。", 1, "按下面做："),
        ("点击退款。", 2, "按下面做："),
    ]


def test_a_bold_question_leads_its_answer() -> None:
    (unit,) = units(Source("a#1", "", "**Is it free?** Yes, always."), 0)
    assert (unit.text, unit.lead) == ("Yes, always.", "Is it free?")


def test_code_is_quoted_as_code_and_in_one_piece() -> None:
    code = "```sh\n# comment\nmake setup\n```"
    assert _units(f"Run this:\n\n{code}") == ["Run this:", code]
    assert _units("Run this:\n\n```sh\nmake setup\n```") == ["Run this:", "`make setup`"]


def test_the_code_of_a_step_and_the_steps_behind_it_are_one_block() -> None:
    text = "1. Get it.\n   ~~~\n   a = 1\n   b = 2\n   ~~~\n2. Start it.\n\nThat is all."
    assert [(u.block, u.text) for u in units(Source("a#1", "", text), 0)] == [
        (1, "Get it."),
        (1, "~~~\na = 1\nb = 2\n~~~"),
        (1, "Start it."),
        (2, "That is all."),
    ]


def test_a_linked_image_says_nothing() -> None:
    assert _units("[![](/a.png)](/a.png){target=_blank}\n\nText.") == ["Text."]


@given(st.text(max_size=300))
def test_any_text_is_split_without_an_error_and_without_empty_units(text: str) -> None:
    assert all(u.strip() for u in _units(text))
