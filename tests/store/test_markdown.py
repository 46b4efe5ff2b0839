import pytest

from store.markdown import blocks, heading_text
from store.plain_text import plain_text


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, heading_text(block)) for block in blocks(text) if block.level]


def content(text: str) -> list[str]:
    return [block.text for block in blocks(text) if not block.level]


@pytest.mark.parametrize(
    "code",
    [
        "```\n# x\n```",
        "~~~sh\n# x\n```\n# y\n~~~",
        "````\n```\n# x\n```\n````",
        "    # x",
        "- ```\n  # x\n  ```",
        "```\n# x",
        "> ```\n> # x\n> ```",
    ],
)
def test_a_hash_in_code_is_no_heading(code: str) -> None:
    assert headings(f"# A\n\n{code}") == [(1, "A")]


def test_headings_are_those_of_commonmark() -> None:
    text = "A\n===\n\nB b\n---\n\n####### C\n\n- D\n---\n\n| E |\n| - |\n| x |\n\n### F ###\n\n####\n\n#G\n"
    assert headings(text) == [(1, "A"), (2, "B b"), (3, "F")]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("## **Export** `csv` [here](x.md) {#export}", "Export csv here"),
        ('## <a name="x"></a>导出', "导出"),
        ("## 导出 <!-- old -->", "导出"),
        ("## ⚠️", "⚠️"),
        ("<h2 class='x'>导出&nbsp;数据</h2>", "导出 数据"),
        ("## [导出][docs]\n\n[docs]: https://example.com", "导出"),
    ],
)
def test_a_heading_is_its_words(heading: str, words: str) -> None:
    assert headings(heading) == [(2, words)]


def test_a_heading_too_long_to_cite_is_a_paragraph() -> None:
    assert [block.level for block in blocks("# " + "很长" * 200)] == [0]


def test_a_table_of_html_becomes_one_of_markdown() -> None:
    html = (
        '<table class="t">\n<tr><th>Carrier</th><th>Days</th></tr>\n\n'
        '<tr><td><a href="https://example.com/p">Post</a></td><td><ul><li>3&ndash;5 | 6</li></ul></td></tr>\n'
        "<tr><td>Courier</td><td>1</td><td>fast</td></tr></table>"
    )
    [table] = content(html)
    assert table == (
        "| Carrier | Days |  |\n| --- | --- | --- |\n| [Post](https://example.com/p) | 3–5 \\| 6 |  |\n"
        "| Courier | 1 | fast |"
    )


def test_a_cell_of_several_lines_stays_in_its_row() -> None:
    text = "| Key | Use |\n| --- | --- |\n| `A<br>` | one<br>two <b>3</b> |\n| B | [doc][d] |\n\n[d]: /d.md"
    assert content(text) == ["| Key | Use |\n| --- | --- |\n| `A<br>` | one two 3 |\n| B | [doc](/d.md) |"]


def test_details_keep_their_summary_with_what_it_hides() -> None:
    text = "<details>\n<summary>海外 &amp; 港澳</summary>\n\n另加三天。\n\n</details>"
    summary, body = blocks(text)
    assert (summary.text, summary.leads, body.text) == ("**海外 &amp; 港澳**", True, "另加三天。")


def test_html_shows_its_text_and_drops_what_is_not_seen() -> None:
    html = (
        "<div>\n    <p style='x'>Press <b>Save</b>.<br>Wait.</p>\n    <img src='a.png' alt='Save button'>\n"
        "<img src='b.png'><ul><li>one</li><li>two</li></ul></div>\n\n<style>p {color: red}</style>\n\n"
        "<script>\n\nsteal()\n\n</script>\n\n<!-- hidden\n\n# hidden -->\n\n<pre>\n  a &lt; b\n</pre>\n"
    )
    words = "\n".join(map(plain_text, content(html)))
    assert words.split("\n") == ["Press Save.", "Wait.", "Save button", "one", "two", "a < b"]


def test_a_comment_or_script_that_is_never_closed_hides_nothing() -> None:
    for opener in ("<!--", "<script>", "{/*"):
        assert "退款七天内到账" in "".join(content(f"{opener} 注意\n\n退款七天内到账。"))


def test_placeholders_are_text_and_tags_are_not() -> None:
    text = (
        "Replace <user> and <Your-Name> in `<b>x</b>`, then press <kbd>Enter</kbd> at <https://example.com>."
    )
    assert content(text) == [
        "Replace <user> and <Your-Name> in `<b>x</b>`, then press Enter at <https://example.com>."
    ]
    assert "<user>" in plain_text(content(text)[0])


def test_mdx_shows_titles_and_content_only() -> None:
    text = (
        "import { Tabs, Tab } from '/x.jsx'\nexport const price = () => (\n  <b>9</b>\n)\n\n"
        '<Tabs>\n  <Tab title="怎么付款？">\n    用**支付宝**。\n\n    ```sh\n    # no heading\n    ```\n  </Tab>\n'
        "  <Tab title={'怎么退款？'}>联系 {name}。</Tab>\n</Tabs>\n\n{/* 内部\n\n## 备注 */}\n\n"
        "<Card href=\"/x\" title='更多' />\n"
    )
    assert headings(text) == []
    assert content(text) == [
        "**怎么付款？**",
        "用**支付宝**。",
        "```sh\n# no heading\n```",
        "**怎么退款？**\n联系 {name}。",
        "**更多**",
    ]


def test_prose_that_begins_like_a_module_stays() -> None:
    text = "import your data from the bank\n\nexport it again\n\n```js\nimport a from 'a'\n```"
    assert content(text) == [
        "import your data from the bank",
        "export it again",
        "```js\nimport a from 'a'\n```",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '!!! warning "Careful"\n    Back up first.\n\n    - and twice',
        "!!! careful\n\n    Back up first.\n\n    - and twice",
        '??? note "Careful"\n    Back up first.\n\n    - and twice',
        '=== "Careful"\n\n    Back up first.\n\n    - and twice',
        "::: warning Careful\nBack up first.\n\n- and twice\n:::",
        ":::warning[Careful]\nBack up first.\n- and twice\n:::",
        ':::warning{title="Careful"}\n\nBack up first.\n\n- and twice\n\n:::',
        "Text.\n:::careful\nBack up first.\n\n- and twice\n:::",
        '{% hint title="Careful" %}\nBack up first.\n\n- and twice\n{% endhint %}',
        '{{< tab title="Careful" >}}\n\nBack up first.\n\n- and twice\n{{< /tab >}}',
        '{{% tab title="Careful" %}}\nBack up first.\n\n- and twice\n\n{{% /tab %}}',
        '<Warning title="Careful">\nBack up first.\n\n- and twice\n</Warning>',
    ],
)
def test_an_admonition_is_its_title_and_its_content(text: str) -> None:
    assert content(text.removeprefix("Text.\n"))[-3:] == ["**Careful**", "Back up first.", "- and twice"]


def test_a_template_in_a_sentence_or_in_code_stays() -> None:
    for text in ("Write {% if %} here.", "```\n{% if x %}\n```", "{{ site.name }}"):
        assert content(text) == [text]


def test_a_sentence_that_begins_like_an_admonition_loses_no_word() -> None:
    assert content("!!! Careful with this button") == ["**Careful with this button**"]
    assert content("=== Chapter one ===") == ["=== Chapter one ==="]
    assert content('!!! note inline end "Careful"\n    Text.') == ["**Careful**", "Text."]


def test_an_alert_in_a_quote_is_its_title() -> None:
    assert content("> [!NOTE] 提示\n> 先备份。\n\n> [!TIP]\n> 再备份。") == [
        "> **提示**\n> 先备份。",
        "> **Tip**\n> 再备份。",
    ]


def test_what_is_nested_in_lists_and_quotes_is_rewritten_too() -> None:
    text = "1. Open <b>Settings</b><br>\n   <Note>Admins only</Note>\n\n> <details><summary>Why</summary>Because</details>\n"
    assert content(text) == ["1. Open Settings\n   Admins only", "> **Why**\n> Because"]


def test_addresses_stay_in_what_is_shown_and_leave_what_is_searched() -> None:
    text = (
        "See [the guide][g], [prices], ![the form](img/f%201.png 'x'), [![](a.png)](b.png){target=_blank} "
        "and [pay (all)](https://example.com/a_(b)). Or https://example.com/x?y=1，<https://help.example.com/z>\n\n"
        "[g]: /guide.md 'Guide'\n[Prices]: https://example.com/prices\n"
    )
    [shown] = content(text)
    assert (
        "[the guide](/guide.md), [prices](https://example.com/prices), ![the form](img/f%201.png 'x')"
        in shown
    )
    assert (
        plain_text(shown)
        == "See the guide, prices, the form, and pay (all). Or example.com，help.example.com"
    )


def test_images_in_the_text_leave_their_description() -> None:
    data = "iVBORw0KGgo" * 5000
    text = (
        f"![收款码](data:image/png;base64,{data})\n\n<img alt='表单' src='data:image/svg+xml;utf8,{data}'>\n"
    )
    assert content(text) == ["收款码", "![表单]()"]


def test_script_addresses_leave_their_text() -> None:
    assert content("[点我](javascript:alert(1)) 看") == ["点我 看"]


def test_template_marks_stay_as_they_are() -> None:
    text = "变量 {user}、{{ order.id }}、${code}、{% if x %}y{% endif %}、%s、{0}、{}。"
    assert content(text) == [text]
    assert plain_text(text) == text


def test_a_footnote_of_one_word_is_kept() -> None:
    assert content("限额[^1]。\n\n[^1]: 每天\n") == ["限额[^1]。", "[^1]: 每天"]


def test_plain_text_keeps_rows_code_and_line_breaks() -> None:
    text = "a *b*\\\nc\n\n| x | `y` |\n| - | - |\n| 1 | 2 |\n\n```sh\nls  -l\n```\n\n- d\n  - e"
    assert plain_text(text) == "a b\nc\nx y\n1 2\nls -l\nd\ne"


@pytest.mark.parametrize(
    "opener", ["<a", "[", "`", "<!--\n", "{/*\n", "> ", "<table>\n", "<A>\n", "|", '<a "']
)
def test_repeated_openers_cost_linear_time(opener: str) -> None:
    blocks(opener * (100_000 // len(opener)))
