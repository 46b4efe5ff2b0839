import pytest

from nodes.comparison import Comparison, comparison, is_wide


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "对比月卡、季卡、年卡在价格、次数、退费上的区别",
            Comparison(("月卡", "季卡", "年卡"), ("价格", "次数", "退费")),
        ),
        (
            "Compare the Basic and Pro plans in terms of storage, seats and support",
            Comparison(("Basic", "Pro plans"), ("storage", "seats", "support")),
        ),
    ],
)
def test_a_comparison_is_read_as_its_subjects_and_points(message: str, expected: Comparison) -> None:
    assert comparison(message) == expected
    assert is_wide(message)


@pytest.mark.parametrize("message", ["怎么退款", "月卡和年卡有什么区别", "How do I cancel?", ""])
def test_a_question_or_a_comparison_without_points_is_not_wide(message: str) -> None:
    assert not is_wide(message)
