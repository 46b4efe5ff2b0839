import pytest

from nodes.offline.policy import REFUND, SEARCH, first_calls
from nodes.offline.request import Request


@pytest.mark.parametrize(
    ("message", "tools"),
    [
        ("请帮我给订单 CL-20261101 退款", [REFUND, SEARCH]),
        ("Please refund my order", [REFUND, SEARCH]),
        ("请说明退款规则", [SEARCH]),
        ("请介绍退款政策", [SEARCH]),
        ("please explain how a refund works", [SEARCH]),
    ],
)
def test_a_refund_is_requested_only_where_it_is_wanted_for_certain(message: str, tools: list[str]) -> None:
    assert [call.name for call in first_calls(Request(message, "", (), (), ""))] == tools
