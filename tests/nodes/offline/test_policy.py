import pytest

from nodes.offline.policy import REFUND, SEARCH, SUBSCRIPTION, Call, first_calls, next_calls
from nodes.offline.request import Lookup, Request, Source


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


def test_what_the_business_system_does_not_know_is_asked_of_the_help_centre() -> None:
    asked, tools = "我用的什么套餐", (SEARCH, SUBSCRIPTION)
    assert [call.name for call in first_calls(Request(asked, "", (), (), ""))] == [SUBSCRIPTION]
    unknown = Lookup(SUBSCRIPTION, "", ())
    assert next_calls(Request(asked, "", (), (unknown,), ""), tools) == [Call(SEARCH, {"query": asked})]
    own = "how much money do i have in my savings right now"
    assert next_calls(Request(own, "", (), (unknown,), ""), tools) == []
    known = Lookup(SUBSCRIPTION, "", (Source("my-subscription#1", "您的订阅", "您的套餐是专业版。"),))
    assert next_calls(Request(asked, "", (), (known,), ""), tools) == []
