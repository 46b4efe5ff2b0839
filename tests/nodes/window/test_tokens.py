import pytest
from langchain_core.messages import AIMessage, HumanMessage

from nodes.window.tokens import estimate_tokens, message_text, message_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("年付套餐买错了能退款吗", 12),
        ("How do I get a refund?", 6),
        ("导入招商银行流水报 E1043,怎么办?", 15),
        ("", 1),
        ("𠮷", 2),
    ],
)
def test_han_characters_count_one_and_four_others_count_one(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_a_message_adds_four() -> None:
    assert message_tokens(HumanMessage("年付套餐买错了能退款吗")) == 16


def test_tool_calls_count_with_their_name_and_arguments() -> None:
    call = {"id": "c1", "name": "search_kb", "args": {"query": "退款"}, "type": "tool_call"}
    message = AIMessage("", tool_calls=[call])
    assert message_text(message) == 'search_kb{"query":"退款"}'
    assert message_tokens(message) == estimate_tokens('search_kb{"query":"退款"}') + 4


def test_text_blocks_count_as_their_text() -> None:
    blocks = HumanMessage([{"type": "text", "text": "年付套餐"}, "买错了"])
    assert message_text(blocks) == "年付套餐\n买错了"
