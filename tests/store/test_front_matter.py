import pytest

from store.front_matter import split_front_matter

BODY = "# 提现\n\n每天最多三次。\n"


def test_yaml_is_metadata_and_not_text() -> None:
    matter = split_front_matter(f"---\ntitle: 提现规则\ntags: [a, b]\nid: 007\n---\n{BODY}")
    assert matter.values == {"title": "提现规则", "id": "007"}
    assert (matter.body, matter.warnings) == (BODY, ())


def test_toml_is_metadata_too() -> None:
    matter = split_front_matter(f'+++\ntitle = "提现规则"\ndraft = true\nweight = 3\n+++\n{BODY}')
    assert matter.values == {"title": "提现规则", "draft": "true", "weight": "3"}
    assert matter.body == BODY


@pytest.mark.parametrize("fence", ["---", "+++"])
def test_an_empty_block_is_metadata_without_values(fence: str) -> None:
    assert split_front_matter(f"{fence}\n{fence}\n{BODY}").body == BODY


@pytest.mark.parametrize(
    "block",
    [
        "title: 提现: 多久\n",
        "title: 提现: 多久\ntags: [x, y\n",
        "title: 提现: 多久\n\tnote: tab\n",
        'title: 提现: 多久\nowner: "nobody\n',
        "title: 提现: 多久\nlist:\n- a\n  - : b: c\n",
    ],
)
def test_invalid_yaml_keeps_its_plain_lines_and_warns(block: str) -> None:
    matter = split_front_matter(f"---\n{block}---\n{BODY}")
    assert matter.values["title"] == "提现: 多久"
    assert matter.body == BODY
    assert "not valid" in matter.warnings[0]


def test_a_value_can_be_quoted_and_hold_quotes() -> None:
    matter = split_front_matter("---\ntitle: \"The 'busy' light\"\n---\nText\n")
    assert matter.values["title"] == "The 'busy' light"


@pytest.mark.parametrize(
    "rest",
    [
        "\n# 提现\n\n每天最多三次。\n",
        "# 提现\n\n每天最多三次。\n",
        "\n# 步骤\n\n- 打开钱包\n\n---\n\n改天再来。\n",
        "\n# 提现\n\n每天三次。\n\n---\n\n改天再来。\n",
    ],
)
def test_a_block_that_is_never_closed_does_not_swallow_the_article(rest: str) -> None:
    matter = split_front_matter(f"---\ntitle: 提现规则\ncategory: 钱\n{rest}")
    assert matter.values == {"title": "提现规则", "category": "钱"}
    assert matter.body.strip() == rest.strip()
    assert "not closed" in matter.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# 提现\n\n备注: 无\n\n---\n\n每天三次。\n",
        "---\n\n每天三次。\n",
        "---\n每天三次，不含节假日。\n---\n",
        "# 提现\n\n---\ntitle: 不是元数据\n---\n",
        "--- \n| a | b |\n",
        "----\ntitle: x\n----\n",
        "---",
        "",
    ],
)
def test_a_rule_is_not_front_matter(text: str) -> None:
    matter = split_front_matter(text)
    assert (matter.body, matter.values, matter.warnings) == (text, {}, ())


def test_only_the_first_block_is_front_matter() -> None:
    rest = "\nA\n\n---\nlimit: 5\n---\n\nB\n"
    assert split_front_matter(f"---\ntitle: x\n---\n{rest}").body == rest


def test_a_bomb_of_aliases_costs_nothing() -> None:
    levels = "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    matter = split_front_matter(f"---\na0: &a0 [x]\n{levels}title: safe\n---\n{BODY}")
    assert matter.values == {"title": "safe"}


def test_deep_nesting_is_no_crash() -> None:
    matter = split_front_matter(f"---\ntitle: x\ndeep: {'[' * 20_000}\n---\n{BODY}")
    assert matter.body == BODY
