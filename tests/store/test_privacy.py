import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.jsonl import rows
from evals.privacy import DATA
from store.privacy import MASK, is_private, redact, redact_all

_ROWS = rows(DATA)


def _texts(row: dict[str, object]) -> list[str]:
    text = row["text"]
    return [str(part) for part in text] if isinstance(text, list) else [str(text)]


def test_at_least_99_of_100_private_values_are_found() -> None:
    private = [row for row in _ROWS if row["private"]]
    found = [row for row in private if any(one.kinds for one in redact_all(_texts(row)))]
    assert len(private) >= 300
    assert len(found) >= 0.99 * len(private)


def test_at_most_1_of_100_look_alikes_is_taken_for_private() -> None:
    harmless = [row for row in _ROWS if not row["private"]]
    taken = [row for row in harmless if any(one.kinds for one in redact_all(_texts(row)))]
    assert len(harmless) >= 200
    assert len(taken) <= 0.01 * len(harmless), taken


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("有事打13812345678，上午方便", f"有事打{MASK}，上午方便"),
        ("订单20260301123456退了吗", "订单20260301123456退了吗"),
        ("密码是Abc12345，帮我看看E1043", f"密码是{MASK}，帮我看看E1043"),
        ("密码错误怎么办", "密码错误怎么办"),
        ("一共 1,381,234,567.8 元", "一共 1,381,234,567.8 元"),
        ("IP 192.168.126.146", "IP 192.168.126.146"),
        ("电话 400-820-8820", "电话 400-820-8820"),
    ],
)
def test_only_the_value_itself_is_replaced(text: str, kept: str) -> None:
    assert redact(text).text == kept


def test_a_number_split_over_two_messages_is_replaced_in_both() -> None:
    first, second = redact_all(["我的手机前面是1381234", "后面是5678，上午打"])
    assert first.text == f"我的手机前面是{MASK}"
    assert second.text == f"后面是{MASK}，上午打"
    assert first.kinds == second.kinds == ("phone",)


def test_a_number_split_behind_many_lines_is_replaced_as_well() -> None:
    redacted = redact("手机号发给你\n" + "好的\n" * 500 + "前面是1381234\n后面是5678").text
    assert "1381234" not in redacted
    assert "5678" not in redacted


@given(st.lists(st.text(max_size=40), max_size=4))
def test_any_messages_are_read_without_error_and_their_number_stays(texts: list[str]) -> None:
    assert len(redact_all(texts)) == len(texts)


@given(st.text(st.characters(categories=["Lo"], min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=12))
def test_a_phone_glued_to_any_chinese_text_is_gone_and_gone_for_good(text: str) -> None:
    redacted = redact(f"{text}。13812345678。{text}").text
    assert "13812345678" not in redacted
    assert not is_private(redacted)
