"""Looking up what a message asks, in the sample help centre with the offline model."""

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from graph.support import Support
from nodes.look_up import PASSAGES, SEVERAL, Found, in_context, look_up
from nodes.models import chat_model
from nodes.parts import parts_in_context, standalone_parts
from store.confidence import ANSWERABLE
from store.search import Passage


async def looked_up(support: Support, message: str, *history: BaseMessage) -> Found:
    opened = support.resources
    return await look_up(opened.knowledge, message, history, chat_model(opened.settings), collection="sample")


def test_a_later_question_takes_what_it_lacks_from_its_predecessor() -> None:
    assert standalone_parts("年付套餐能退款吗？那月付的呢？")[1].startswith("月付")
    assert standalone_parts("发票抬头怎么改？还有退款多久到账") == ["发票抬头怎么改？", "退款多久到账"]
    assert standalone_parts("年付套餐能退款吗") == ["年付套餐能退款吗"]


def test_a_question_that_only_points_back_keeps_its_words_where_the_whole_message_is_searched_for_too() -> (
    None
):
    message = "how do I invite someone, and how do I remove them later"
    assert parts_in_context(message) == ["how do I invite someone", "how do I remove them later"]
    assert parts_in_context("年付套餐能退款吗？那月付的呢？")[1].startswith("月付")
    assert parts_in_context("年付套餐能退款吗") == ["年付套餐能退款吗"]


async def test_each_of_two_questions_has_its_passages(support: Support) -> None:
    found = await looked_up(support, "密码输错几次会被锁？另外备份保留多少天")
    assert len({passage.id for passage in found.passages}) == len(found.passages) == SEVERAL * PASSAGES
    assert [passage.doc_id for passage in found.passages[:2]] == ["kb-011", "kb-013"]


def test_what_the_whole_message_finds_lifts_the_passages_of_a_part() -> None:
    a, b, c = (Passage(key, key, "", "", "", 0.0, 0.5) for key in "abc")
    assert [each.id for each in in_context([a, b], [b, c])] == ["b", "a", "c"]
    assert in_context([a], []) == [a]


async def test_a_follow_up_is_searched_for_with_its_topic(support: Support) -> None:
    found = await looked_up(
        support, "那月付的呢", HumanMessage("年付套餐能退款吗"), AIMessage("年付按剩余的整月数退款。")
    )
    assert found.question != "那月付的呢"
    assert found.passages[0].section == "退款政策 > 月付套餐"


async def test_a_question_that_is_sure_of_its_answer_is_left_as_it_is(support: Support) -> None:
    found = await looked_up(
        support, "错误码 E1043 怎么解决", HumanMessage("年付套餐能退款吗"), AIMessage("可以。")
    )
    assert found.question == "错误码 E1043 怎么解决"
    assert found.passages[0].doc_id == "kb-010"
    assert found.confidence >= ANSWERABLE
