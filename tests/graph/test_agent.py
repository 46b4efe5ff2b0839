"""Whole turns of the agentic branch: the demo conversations, and models that misbehave."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

import nodes.retrieve
import nodes.scene
from graph.reply import Reply
from graph.support import Support
from nodes.loop import MAX_STEPS
from nodes.passages import RESEARCH_TOOL
from nodes.phrases import HANDED_OVER, SEARCH_FIRST
from nodes.smalltalk import talk
from nodes.state import Context
from tests.scripted import Scripted, scripted

SAMPLE = Context(collection="sample")
COMPARISON = "对比免费版、专业版、企业版在账本数、成员数、导出次数、能否开专票、退款规则上的区别"
DOUBLE = "发票抬头写错了,而且我想退款,怎么弄"
COMPARED = "年付套餐和月付套餐的退款有什么区别"


def articles(reply: Reply) -> set[str]:
    return {citation.id.split("#")[0] for citation in reply.citations}


def calls(*named: tuple[str, Any]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"c{i}"} for i, (n, a) in enumerate(named)])


@pytest.fixture
def played(support: Support, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Ask a question of a model that answers by script; return the reply and the model."""

    async def play(question: str, *answers: AIMessage | str) -> tuple[Reply, Scripted]:
        model = scripted(*answers)
        for place in (nodes.retrieve, nodes.scene):
            monkeypatch.setattr(place, "chat_model", lambda *_: model)
        return await support.ask(question, context=Context(collection="sample", model="scripted")), model

    return play


async def test_thanks_need_no_search_and_no_tool(support: Support) -> None:
    reply = await support.ask("谢谢你,上次的问题解决了", context=SAMPLE)
    assert (reply.route, reply.steps) == ("direct", [])


async def test_two_questions_are_two_searches_in_one_step_and_both_are_answered(support: Support) -> None:
    reply = await support.ask(DOUBLE, context=SAMPLE)
    assert (reply.route, reply.reason) == ("agentic", "several questions")
    assert [step.tool for step in reply.steps] == ["search_kb", "search_kb"]
    assert "kb-007" in articles(reply)
    assert articles(reply) & {"kb-002", "kb-003"}
    assert reply.usage["calls"] == 1


async def test_a_wide_comparison_is_read_apart_and_only_its_conclusion_comes_back(support: Support) -> None:
    reply = await support.ask(COMPARISON, context=SAMPLE)
    assert [step.tool for step in reply.steps] == [RESEARCH_TOOL]
    assert reply.steps[0].chars <= 500
    assert articles(reply) >= {"kb-001", "kb-002", "kb-006", "kb-014"}
    log = await support.history(reply.thread_id, context=SAMPLE)
    result = next(m for m in log if isinstance(m, ToolMessage))
    assert result.artifact["usage"]["input"] > 4 * reply.steps[0].chars
    assert reply.usage["calls"] == 2 + result.artifact["usage"]["calls"]


async def test_the_own_subscription_is_asked_of_the_business_system(support: Support) -> None:
    reply = await support.ask("我现在是什么套餐", context=Context(user_id="demo", collection="sample"))
    assert [step.tool for step in reply.steps] == ["get_subscription"]
    assert "专业版" in reply.answer
    nobody = await support.ask(
        "我现在是什么套餐", context=Context(user_id="nobody-knows", collection="sample")
    )
    assert "专业版" not in nobody.answer


async def test_a_model_that_calls_tools_for_ever_is_stopped_and_a_person_takes_over(played: Any) -> None:
    endless = [calls(("search_kb", {"query": f"退款 {n}"})) for n in range(MAX_STEPS + 3)]
    reply, model = await played(DOUBLE, *endless)
    assert len(model.asked) == MAX_STEPS
    assert reply.answer.startswith(HANDED_OVER["zh"].split("（")[0])


async def test_a_model_that_answers_without_looking_is_sent_back_once_and_only_once(played: Any) -> None:
    reply, model = await played(COMPARED, "都可以。", "都可以的。", "还是可以。", "还是可以。")
    assert [asked[-1].text == SEARCH_FIRST["zh"] for asked in model.asked[1:]] == [True, False, False]
    assert reply.citations == []


@pytest.mark.parametrize("question", ["年付套餐能退款吗", "谢谢你,上次的问题解决了"])
async def test_where_the_agent_was_not_asked_no_call_acts_on_the_business(played: Any, question: str) -> None:
    reply, _ = await played(question, calls(("request_refund", {"reason": "x"})), "好的。", "好的。")
    assert reply.waiting == []
    assert "request_refund" not in {step.tool for step in reply.steps}


async def test_a_users_own_subscription_is_no_answer_to_a_question_about_the_product(played: Any) -> None:
    reply, model = await played(
        COMPARED,
        calls(("get_subscription", {})),
        "您是年付专业版。",
        "您是年付专业版。",
        "年付套餐可以退款 [kb-002#2]。",
        "同上。",
    )
    assert [step.tool for step in reply.steps] == ["get_subscription", "search_kb"]
    assert model.asked[2][-1].text == SEARCH_FIRST["zh"]
    assert "kb-002" in articles(reply)


async def test_each_point_of_a_comparison_is_searched_for_in_a_models_place(played: Any) -> None:
    reply, _ = await played(
        COMPARISON, "都一样。", "都一样。", "免费版每天可以导出 1 次 [kb-014#2]。", "同上。"
    )
    asked = [str(step.args["query"]) for step in reply.steps]
    assert len(asked) == 5
    assert all(query.startswith("免费版 专业版 企业版 ") for query in asked)
    assert articles(reply) == {"kb-014"}


async def test_what_a_model_will_not_look_up_is_searched_for_in_its_place(played: Any) -> None:
    reply, model = await played(
        COMPARED, "都可以。", "都可以的。", "年付套餐可以退款。", "年付套餐可以退款。"
    )
    assert [step.tool for step in reply.steps] == ["search_kb"]
    assert len({*(m.text for m in model.asked[2] if isinstance(m, ToolMessage))}) == len(reply.steps)
    assert "年付套餐可以退款" in reply.answer


async def test_every_call_of_a_turn_is_recorded_what_is_asked_again_too(
    played: Any, support: Support
) -> None:
    reply, model = await played(
        COMPARED, "都可以。", "都可以的。", "年付套餐可以退 9999 元。", "年付套餐可以退款。"
    )
    records = (await support.state(reply.thread_id))["calls"]
    assert len(records) == reply.usage["calls"] == len(model.asked) == 4
    assert {record["turn"] for record in records} == {1}
    first, again, _, repair = records
    assert again["cached_predicted"] >= first["estimated"]
    assert repair["cached_predicted"] >= records[2]["estimated"]
    assert all(record["estimated"] <= record["limit"] for record in records)


async def test_that_something_is_not_covered_is_not_said_unread(played: Any) -> None:
    reply, model = await played(
        "我要退款", "帮助中心没有写到。", "没有写到。", "年付套餐可以退款。", "年付套餐可以退款。"
    )
    assert model.asked[1][-1].text == SEARCH_FIRST["zh"]
    assert [step.tool for step in reply.steps] == ["search_kb"]
    assert "年付套餐可以退款" in reply.answer


async def test_small_talk_that_cites_loses_what_nothing_supports(played: Any) -> None:
    reply, _ = await played(
        "谢谢你,上次的问题解决了", "感谢您的反馈，我们已经将发票抬头改好[kb-007#2]。很高兴能帮到您！"
    )
    assert reply.route == "direct"
    assert (reply.citations, reply.usage["calls"]) == ([], 1)
    assert "发票抬头" not in reply.answer
    assert reply.answer


@pytest.mark.parametrize(
    "said",
    ["", " \n", "好的，您的退款已经办理。", "您好！客服电话是 400-777-1234。"],
    ids=["nothing", "a blank", "a deed", "a figure"],
)
async def test_small_talk_of_a_model_that_invents_or_says_nothing_is_the_products_own(
    played: Any, said: str
) -> None:
    reply, _ = await played("你好", said)
    assert reply.route == "direct"
    assert reply.answer == talk("你好", "zh", "")


async def test_small_talk_that_claims_nothing_stands_as_the_model_said_it(played: Any) -> None:
    reply, _ = await played("谢谢你,上次的问题解决了", "太好了，很高兴能帮到您！")
    assert reply.answer == "太好了，很高兴能帮到您！"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**30], ids=str)
async def test_arguments_that_no_database_holds_end_no_turn(played: Any, value: float) -> None:
    reply, _ = await played(
        DOUBLE, calls(("hand_over", {"summary": "退款", "number": value}), ("search_kb", {"query": value}))
    )
    assert reply.ticket is not None


async def test_one_that_has_searched_is_not_told_to_search_again(played: Any) -> None:
    _, model = await played(
        COMPARED, calls(("search_kb", {"query": "退款政策"})), "年付可以退款。", "年付可以退款。"
    )
    assert not any("先调用 search_kb" in message.text for asked in model.asked for message in asked)


async def test_a_call_written_as_text_is_run_and_never_shown(played: Any) -> None:
    written = (
        "<tool_call>" + json.dumps({"name": "search_kb", "arguments": {"query": "退款政策"}}) + "</tool_call>"
    )
    reply, _ = await played(COMPARED, written, "年付套餐可以退款。", "年付套餐可以退款。")
    assert [step.tool for step in reply.steps] == ["search_kb"]
    assert "tool_call" not in reply.answer


async def test_a_wrong_call_comes_back_with_how_to_do_it_right(played: Any) -> None:
    _, model = await played(
        COMPARED,
        calls(("get_article", {"doc_id": "kb-020#2"}), ("search", {"q": "x"}), ("search_kb", {"q": "x"})),
        "年付套餐可以退款。",
        "年付套餐可以退款。",
    )
    wrong = [m.text for m in model.asked[1] if isinstance(m, ToolMessage)]
    assert "look like 'kb-020'" in wrong[0]
    assert "search_kb" in wrong[1]
    assert "query" in wrong[2]
