from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from nodes.current import current_zone
from nodes.offline import OfflineChatModel
from nodes.offline.answer import answered
from nodes.offline.phrases import MORE, POINTS
from nodes.rewrite import StandaloneQuestion
from store.errors import ModelError
from tests.nodes.offline.conversation import POLICY, SYSTEM, search, turn


@tool
def search_kb(query: str) -> str:
    """Search the help centre."""
    return query


@tool
def get_article(doc_id: str) -> str:
    """Read a whole article."""
    return doc_id


def _answer(messages: list[BaseMessage]) -> str:
    return OfflineChatModel().invoke(messages).text


def _calls(messages: list[BaseMessage], *tools: BaseTool) -> list[tuple[str, dict[str, Any]]]:
    answer = OfflineChatModel().bind_tools(tools).invoke(messages)
    return [(call["name"], call["args"]) for call in answer.tool_calls]


def test_the_sentence_that_answers_is_quoted_with_its_source() -> None:
    assert "月付套餐中途不能退款。 [kb-1#2]" in _answer(turn("月付的套餐能退款吗", POLICY))


def test_a_picture_beside_a_question_is_not_read_as_its_words() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/a/long/way/to/a/picture.png"}}
    asked = HumanMessage([{"type": "text", "text": "月付的套餐能退款吗"}, picture])
    answer = _answer([SYSTEM, asked, *search("月付的套餐能退款吗", POLICY)])
    assert answer == _answer(turn("月付的套餐能退款吗", POLICY))


def test_what_was_only_offered_before_still_answers_the_question_that_asks_for_it() -> None:
    offered = (
        f"{POINTS['zh']}\n- 年付套餐可以退款。 [kb-1#1]\n\n{MORE['zh']}\n- 月付套餐中途不能退款。 [kb-1#2]"
    )
    before = [*turn("年付套餐能退款吗", POLICY), AIMessage(offered)]
    then = [HumanMessage("那月付的呢"), *search("月付套餐能退款吗", POLICY, "c2")]
    assert "月付套餐中途不能退款。 [kb-1#2]" in answered(_answer([*before, *then]))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("我刚才问了什么", "「月付的套餐能退款吗」"),
        ("What did I just ask?", '"月付的套餐能退款吗"'),
        ("我上一个问题是什么", "「月付的套餐能退款吗」"),
    ],
)
def test_what_was_asked_last_is_told(asked: str, told: str) -> None:
    before = [*turn("月付的套餐能退款吗", POLICY), AIMessage("不能。")]
    assert told in _answer([*before, HumanMessage(asked)])
    assert told not in _answer([SYSTEM, HumanMessage(asked)])


def test_what_other_passages_say_stands_below_the_best_ones() -> None:
    said, _, more = _answer(turn("套餐退款怎么算", POLICY)).partition("\n\n也许还有用：\n")
    below = {line.rpartition(" ")[2] for line in more.splitlines()}
    assert below
    assert not below & {line.rpartition(" ")[2] for line in said.splitlines()}


def test_every_point_has_a_source_from_the_passages() -> None:
    lines = _answer(turn("套餐退款怎么算", POLICY)).splitlines()
    points = [line for line in lines if line.startswith("- ")]
    assert points
    assert all(line.endswith((" [kb-1#1]", " [kb-1#2]")) for line in points)


def test_a_question_in_another_language_gets_a_marked_quotation() -> None:
    answer = _answer(turn("Can I get a refund on a monthly plan?", POLICY[1:]))
    assert "quoted in Chinese" in answer
    assert '"月付套餐中途不能退款。" [kb-1#2]' in answer


def test_a_quotation_has_marks_that_the_quoted_text_does_not_use() -> None:
    passage = (("kb-4#1", "导出", '打开"账单"导出数据。'),)
    assert '“打开"账单"导出数据。” [kb-4#1]' in _answer(turn("How do I export data?", passage))


def test_an_answer_that_needs_its_question_is_quoted_with_it() -> None:
    passage = (("kb-5#1", "导出", "**能导出附件吗？** 不可以，附件要逐个下载。"),)
    assert _answer(turn("可以导出附件吗", passage)) == "「能导出附件吗」：不可以，附件要逐个下载。 [kb-5#1]"
    passage = (("kb-5#2", "Export > Can I export notes?", "No, only invoices."),)
    assert _answer(turn("are notes exported", passage)) == '"Can I export notes": No, only invoices. [kb-5#2]'


def test_unrelated_passages_are_no_answer() -> None:
    answer = _answer(turn("你们有线下门店吗", POLICY))
    assert "帮助中心没有写到" in answer
    assert "[" not in answer


def test_no_passages_are_no_answer_in_the_users_language() -> None:
    assert _answer(turn("Do you have a shop in Berlin?", ())).startswith(
        "The help centre does not cover this"
    )


def test_a_procedure_is_quoted_whole_and_in_order() -> None:
    steps = (("kb-2#1", "导出", "1. 打开账单。\n2. 点击导出按钮。\n3. 保存文件。"),)
    answer = _answer(turn("怎么点击导出按钮", steps))
    assert answer.index("1. 打开账单。") < answer.index("2. 点击导出按钮。") < answer.index("3. 保存文件。")


def test_a_single_step_of_another_passage_has_no_number() -> None:
    passages = (("kb-2#1", "导出", "导出按钮在账单页。"), ("kb-2#2", "导出", "2. 点击导出按钮。"))
    assert "- 点击导出按钮。 [kb-2#2]" in _answer(turn("导出按钮在哪", passages))


def test_the_rewritten_question_decides_what_is_quoted() -> None:
    answer = _answer(turn("那月付的呢", POLICY, query="月付套餐能退款吗"))
    assert "月付套餐中途不能退款。 [kb-1#2]" in answer


def test_each_question_is_answered_from_its_own_search() -> None:
    invoice = (("kb-3#1", "发票", "发票在账单页开具。"),)
    messages = [
        SYSTEM,
        HumanMessage("月付能退款吗？另外发票怎么开"),
        *search("月付能退款吗", POLICY, "c1"),
        *search("发票怎么开", invoice, "c2"),
    ]
    answer = _answer(messages)
    assert "[kb-1#2]" in answer
    assert "[kb-3#1]" in answer


def test_a_question_that_found_nothing_is_named_as_open() -> None:
    messages = [
        SYSTEM,
        HumanMessage("月付能退款吗？另外你们有门店吗"),
        *search("月付能退款吗", POLICY, "c1"),
        *search("你们有门店吗", (), "c2"),
    ]
    assert "关于「你们有门店吗」，我没有在帮助中心找到答案" in _answer(messages)


def test_what_is_known_of_the_user_tips_the_balance() -> None:
    both = (("kb-1#1", "退款", "年付套餐可以退款。\n\n月付套餐不能退款。"),)
    asked = "套餐能退款吗"
    messages = [SYSTEM, HumanMessage(f"{current_zone(['用户是月付'])}\n\n{asked}"), *search(asked, both)]
    points = _answer(messages).splitlines()
    assert points[1] == "- 月付套餐不能退款。 [kb-1#1]"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("谢谢", "不客气"),
        ("who are you", "Acme's support assistant"),
        ("你好", "Acme的客服助手"),
        ("bye", "Goodbye"),
    ],
)
def test_small_talk_is_answered_in_the_users_language(message: str, expected: str) -> None:
    assert expected in _answer([SYSTEM, HumanMessage(message)])


def test_every_question_is_searched_for_in_the_same_step() -> None:
    assert _calls([SYSTEM, HumanMessage("发票抬头写错了,而且我想退款,怎么弄")], search_kb) == [
        ("search_kb", {"query": "发票抬头写错了"}),
        ("search_kb", {"query": "我想退款,怎么弄"}),
    ]


def test_a_follow_up_is_searched_for_in_full() -> None:
    history = [HumanMessage("年付套餐买错了能退款吗"), AIMessage("可以。[kb-1#1]")]
    assert _calls([SYSTEM, *history, HumanMessage("那月付的呢")], search_kb) == [
        ("search_kb", {"query": "月付套餐买错了能退款吗"})
    ]


def test_small_talk_calls_no_tool() -> None:
    assert _calls([SYSTEM, HumanMessage("谢谢你,上次的问题解决了")], search_kb) == []


def test_results_at_hand_are_answered_from() -> None:
    assert _calls(turn("月付能退款吗", POLICY), search_kb, get_article) == []


def test_a_failed_search_is_tried_once_more_by_its_keywords() -> None:
    messages = turn("你们到底有没有线下门店呀", ())
    assert _calls(messages, search_kb) == [("search_kb", {"query": "到底 线下 门店"})]
    messages += search("到底 线下 门店", (), "c2")
    assert _calls(messages, search_kb) == []
    assert "帮助中心没有写到" in _answer(messages)


def test_the_second_try_stands_in_for_the_first() -> None:
    shops = (("kb-6#1", "联系", "线下门店在上海。"),)
    messages = [*turn("你们到底有没有线下门店呀", ()), *search("到底 线下 门店", shops, "c2")]
    assert _answer(messages) == "线下门店在上海。 [kb-6#1]"


def test_the_article_is_read_when_only_its_heading_matches() -> None:
    passages = (("kb-9#2", "多币种记账", "汇率每天更新。"),)
    messages = turn("多币种怎么记账", passages)
    assert _calls(messages, search_kb, get_article) == [("get_article", {"doc_id": "kb-9"})]


def test_an_error_result_is_never_content() -> None:
    call = {"name": "search_kb", "args": {"query": "退款"}, "id": "c1", "type": "tool_call"}
    messages = [
        SYSTEM,
        HumanMessage("退款"),
        AIMessage("", tool_calls=[call]),
        ToolMessage("Error: 退款 timed out", tool_call_id="c1"),
    ]
    assert "timed out" not in _answer(messages)


def test_the_same_messages_give_the_same_answer_and_ids() -> None:
    messages = [SYSTEM, HumanMessage("怎么退款？另外发票怎么开")]
    one, other = (OfflineChatModel().bind_tools([search_kb]).invoke(messages) for _ in range(2))
    assert one.tool_calls == other.tool_calls
    assert len({call["id"] for call in one.tool_calls}) == 2


async def test_a_stream_adds_up_to_the_answer_and_keeps_citations_whole() -> None:
    model, messages = OfflineChatModel(), turn("套餐退款怎么算", POLICY)
    pieces = [piece async for piece in model.astream(messages)]
    total = sum(pieces[1:], start=pieces[0])
    assert isinstance(total, AIMessageChunk)
    assert total.text == _answer(messages)
    assert len(pieces) > 5
    assert not [p for p in pieces if ("[" in p.text) != ("]" in p.text)]
    assert total.usage_metadata
    assert total.usage_metadata["input_tokens"] > 0
    assert total.response_metadata["model_name"] == "offline"


def test_a_synchronous_stream_carries_tool_calls() -> None:
    pieces = list(OfflineChatModel().bind_tools([search_kb]).stream([SYSTEM, HumanMessage("怎么退款")]))
    total = sum(pieces[1:], start=pieces[0])
    assert isinstance(total, AIMessageChunk)
    assert [call["args"] for call in total.tool_calls] == [{"query": "怎么退款"}]


def test_a_prefix_seen_before_is_reported_as_cached() -> None:
    model = OfflineChatModel()
    messages = turn("月付能退款吗", POLICY)
    first = model.invoke(messages).usage_metadata
    second = model.invoke([*messages, AIMessage("不能。"), HumanMessage("谢谢")]).usage_metadata
    assert first
    assert second
    assert first["input_token_details"]["cache_read"] == 0
    assert second["input_token_details"]["cache_read"] == first["input_tokens"]


def test_a_structured_output_is_filled_by_its_rule() -> None:
    history = [HumanMessage("年付套餐买错了能退款吗"), AIMessage("可以。"), HumanMessage("那月付的呢")]
    filled = OfflineChatModel().with_structured_output(StandaloneQuestion).invoke(history)
    assert filled == StandaloneQuestion(question="月付套餐买错了能退款吗")
    raw = (
        OfflineChatModel()
        .with_structured_output(StandaloneQuestion, include_raw=True, method="json_schema")
        .invoke(history)
    )
    assert isinstance(raw, dict)
    assert raw["parsed"] == filled
    assert raw["parsing_error"] is None
    assert raw["raw"].usage_metadata["output_tokens"] > 0


def test_a_structured_output_without_a_rule_is_refused_by_name() -> None:
    class Horoscope(BaseModel):
        """Nobody registered it."""

        sign: str

    with pytest.raises(ModelError, match="Horoscope"):
        OfflineChatModel().with_structured_output(Horoscope)
