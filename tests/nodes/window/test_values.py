import pytest

from nodes.window.values import decisions, han_number, identifiers, requests, tokens, values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们用的是企业版年付,招商银行对公账户", ("企业版", "年付", "招商银行")),
        ("3个工作日内到账,发票INV-2024-001,金额¥12,800.00", ("3个工作日内", "INV-2024-001", "¥12,800.00")),
        ("2026年3月5日买的,承诺19日9点前回复", ("2026年3月5日", "19日9点前")),
        ("打8折,手续费5%,要10席,改成「月付」", ("8折", "5%", "10席", "「月付」")),
        ("下周三前给我答复", ("下周三",)),
        (
            "I bought the Enterprise plan (annual) on March 3, 2026 for $1,299.99",
            ("Enterprise plan", "annual", "March 3, 2026", "$1,299.99"),
        ),
        ("Error E1043, order #48213, within 7 days", ("E1043", "48213", "7 days")),
        ("好的,谢谢,没问题", ()),
    ],
)
def test_values_of_both_languages_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert values(text) == expected


def test_what_was_asked_and_decided_is_found() -> None:
    assert requests("我要退款,不行就换货") == ("退款", "换货")
    assert decisions("很抱歉不能退款,已为您取消") == ("不能退款", "已为您取消")


def test_results_give_identifiers_and_no_passage_ids_or_times() -> None:
    text = '{"id": "kb-002#1", "审批号": "SP37643310", "时间": "2026-11-23 07:05", "单号": "88123456"}'
    assert identifiers(text) == ("SP37643310", "88123456")


@pytest.mark.parametrize(
    ("note", "source", "supported"),
    [
        ("3天", "三天内到账", True),
        ("1500元", "共1,500元", True),
        ("2026年11月3日", "时间 2026-11-03", True),
        ("11月3日", "2026-11-03", True),
        ("３００", "300元", True),
        ("e1043", "报 E1043 错", True),
        ("500元", "1500元", False),
        ("DD2026", "DD20265", False),
        ("11月4日", "2026-11-03", False),
    ],
)
def test_tokens_are_compared_whole_and_in_one_spelling(note: str, source: str, supported: bool) -> None:
    assert (tokens(note) <= tokens(source)) is supported


@pytest.mark.parametrize(
    ("text", "value"), [("三百二十", 320), ("两万", 20_000), ("十五", 15), ("一二三", 123)]
)
def test_chinese_numerals_have_values(text: str, value: int) -> None:
    assert han_number(text) == value
