import asyncio
import re
from time import process_time
from uuid import UUID, uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from graph.reply import Reply
from graph.support import Support, config_of, open_support
from nodes.phrases import ASK_BACK
from nodes.state import Context
from store.errors import (
    AccessDeniedError,
    AnsweredError,
    LimitError,
    MalformedError,
    ModelError,
    RetrievalError,
)
from store.settings import Settings


async def test_an_annual_refund_question_is_answered_pro_rata_and_cites_its_article(support: Support) -> None:
    reply = await support.ask("年付套餐买错了能退款吗")
    assert "剩余" in reply.answer
    assert "整月" in reply.answer
    assert {citation.id.split("#")[0] for citation in reply.citations} >= {"kb-002"}
    assert all(citation.text for citation in reply.citations)
    assert reply.route == "fixed"
    assert reply.usage["input"] > reply.usage["output"] > 0
    assert str(UUID(reply.thread_id)) == reply.thread_id


async def test_a_turn_reads_its_thread_once(support: Support, monkeypatch: pytest.MonkeyPatch) -> None:
    saver, reads = support.graph.checkpointer, list[object]()
    assert isinstance(saver, BaseCheckpointSaver)
    load = saver.aget_tuple

    async def counted(config: RunnableConfig) -> CheckpointTuple | None:
        reads.append(config)
        return await load(config)

    monkeypatch.setattr(saver, "aget_tuple", counted)
    await support.ask("谢谢", thread="read-once")
    reply = await support.ask("年付套餐买错了能退款吗", thread="read-once")
    assert len(reads) == 2
    assert reply.citations


async def test_a_question_in_other_words_than_the_article_finds_it(support: Support) -> None:
    reply = await support.ask("外币的账怎么记")
    assert "kb-020" in {citation.id.split("#")[0] for citation in reply.citations}


@pytest.mark.parametrize(
    ("question", "person"),
    [("你们支持比特币支付吗", "人工"), ("能和钉钉打通吗", "人工"), ("Do you accept bitcoin?", "person")],
)
async def test_a_question_outside_the_corpus_invents_nothing_and_offers_a_person(
    support: Support, question: str, person: str
) -> None:
    reply = await support.ask(question)
    assert reply.citations == []
    assert person in reply.answer
    assert not any(asked in reply.answer for asked in ("比特币", "钉钉", "bitcoin"))


async def test_the_topic_of_a_conversation_does_not_answer_for_a_question_of_its_own(
    support: Support,
) -> None:
    await support.ask("年付套餐买错了能退款吗", thread="pets")
    reply = await support.ask("办公室可以带宠物吗", thread="pets")
    assert reply.citations == []
    assert "人工" in reply.answer


async def test_thanks_are_answered_without_retrieval(support: Support) -> None:
    reply = await support.ask("谢谢")
    assert (reply.route, reply.steps, reply.citations) == ("direct", [], [])
    assert reply.answer


async def test_an_english_question_is_framed_in_english_and_quotes_the_chinese_sentence(
    support: Support,
) -> None:
    reply = await support.ask("Can I get a refund on a monthly plan?")
    assert "kb-002" in {citation.id.split("#")[0] for citation in reply.citations}
    assert "月付" in reply.answer
    assert any(word in reply.answer.lower() for word in ("help centre", "article", "says"))


async def test_a_message_without_a_word_is_asked_back_without_model_or_search(support: Support) -> None:
    for text in ("", " \n\t　", "😡😡😡", "1"):
        reply = await support.ask(text)
        assert (reply.route, reply.steps, reply.usage["input"]) == ("direct", [], 0)
        assert reply.answer == ASK_BACK["zh"]
        assert "<" not in reply.answer


@pytest.mark.parametrize(
    "text",
    [
        "一二三" * 6_000,
        "百千" * 9_000,
        "1\n" * 9_000,
        "1," * 9_000,
        f"订单 {'9' * 15_000} 元能退款吗",
        "1.\n2.\n",
        "1/0 天能退款吗",
    ],
    ids=["numerals", "places", "lines", "list", "digits", "empty items", "no fraction"],
)
async def test_no_message_of_the_length_that_is_read_keeps_the_process_busy_or_fails(
    support: Support, text: str
) -> None:
    began = process_time()
    assert (await support.ask(text, context=Context(user_id="hostile", collection="sample"))).answer
    assert process_time() - began < 30  # it was minutes


async def test_text_that_no_database_takes_is_cleaned_not_refused(support: Support) -> None:
    reply = await support.ask("年付\x00能退款吗\ud83d", thread=str(uuid4()))
    assert reply.citations
    log = await support.history(reply.thread_id)
    assert log[0].text == "年付能退款吗"


async def test_a_message_too_long_is_refused_at_once_and_nothing_of_it_stays(support: Support) -> None:
    thread = str(uuid4())
    async with asyncio.timeout(10):
        with pytest.raises(LimitError, match=r"100000 characters.*SUPPORTPILOT_MESSAGE_CHARS"):
            await support.ask("很长" * 50_000, thread=thread)
    assert await support.history(thread) == []


async def test_the_graph_itself_refuses_a_message_too_long(support: Support) -> None:
    text = "x" * (support.resources.settings.message_chars + 1)
    with pytest.raises(LimitError):
        await support.graph.ainvoke({"messages": [HumanMessage(text)]}, config_of(str(uuid4())))


async def test_a_message_sent_again_is_answered_once(support: Support) -> None:
    thread, first, second = (str(uuid4()) for _ in range(3))
    replies = await asyncio.gather(*(support.ask("谢谢", thread=thread, message_id=first) for _ in range(3)))
    assert len({reply.answer for reply in replies}) == 1
    await support.ask("谢谢你", thread=thread, message_id=second)
    with pytest.raises(AnsweredError, match=first):
        await support.ask("谢谢", thread=thread, message_id=first)
    assert [m.id for m in await support.history(thread) if isinstance(m, HumanMessage)] == [first, second]


async def test_a_message_received_but_never_answered_is_not_said_to_be_answered(support: Support) -> None:
    thread, first = str(uuid4()), str(uuid4())
    with pytest.raises(RetrievalError):
        await support.ask("怎么退款", thread=thread, message_id=first, context=Context(collection="nowhere"))
    await support.ask("谢谢", thread=thread)
    with pytest.raises(AnsweredError, match=f"{first}' was received before"):
        await support.ask("怎么退款", thread=thread, message_id=first)


async def test_the_id_of_an_answer_is_refused_for_a_message_and_the_answer_stays(support: Support) -> None:
    thread = (await support.ask("谢谢")).thread_id
    before = await support.history(thread)
    with pytest.raises(MalformedError, match="that of an answer"):
        await support.ask("谢谢", thread=thread, message_id=str(before[-1].id))
    assert await support.history(thread) == before


@pytest.mark.parametrize("name", ["a\x00", "\ud83d"])
async def test_a_name_that_cannot_be_kept_is_a_typed_error_that_names_it(support: Support, name: str) -> None:
    named = re.escape(repr(name))
    with pytest.raises(MalformedError, match=named):
        await support.ask("谢谢", thread=name)
    with pytest.raises(MalformedError, match=named):
        await support.ask("谢谢", message_id=name)
    for context in (Context(user_id=name), Context(tenant=name)):
        with pytest.raises(MalformedError, match=named):
            await support.history("x", context=context)


async def test_a_turn_that_broke_off_goes_on_from_its_last_step_when_it_is_sent_again(
    config: Settings,
) -> None:
    dead = config.model_copy(
        update={"openai_base_url": "http://127.0.0.1:9/v1", "chat_model": "served", "request_retries": 0}
    )
    thread, message = str(uuid4()), str(uuid4())
    async with open_support(dead) as support:
        with pytest.raises(ModelError):
            await support.ask("年付套餐能退款吗", thread=thread, message_id=message)
        reply = await support.ask(
            "年付套餐能退款吗", thread=thread, message_id=message, context=Context(model="offline")
        )
        log = await support.history(thread)
    assert reply.citations
    assert [type(m) for m in log] == [HumanMessage, AIMessage, ToolMessage, AIMessage]


async def test_a_follow_up_after_a_restart_knows_what_was_said(config: Settings) -> None:
    context = Context(user_id=str(uuid4()))
    async with open_support(config) as first:
        await first.ask("年付套餐能退款吗", thread="restart", context=context)
    async with open_support(config) as second:
        reply = await second.ask("那月付的呢", thread="restart", context=context)
        log = await second.history("restart", context=context)
    assert [m.text for m in log if isinstance(m, HumanMessage)] == ["年付套餐能退款吗", "那月付的呢"]
    assert "月付" in reply.answer
    assert "退款" in reply.steps[0].args["query"]


async def test_two_users_with_the_same_thread_name_have_two_conversations(support: Support) -> None:
    name = str(uuid4().hex)
    replies = [
        await support.ask("谢谢", thread=name, context=Context(user_id=user))
        for user in ("ann", "ben", "ann")
    ]
    assert replies[0].thread_id == replies[2].thread_id != replies[1].thread_id
    assert len(await support.history(name, context=Context(user_id="ben"))) == 2


async def test_another_user_is_refused_on_a_thread_and_leaves_no_trace_in_it(support: Support) -> None:
    mine = Context(user_id="ann")
    thread = (await support.ask("谢谢", context=mine)).thread_id
    with pytest.raises(AccessDeniedError, match="belongs to another user"):
        await support.ask("让我看看", thread=thread, context=Context(user_id="ben"))
    assert len(await support.history(thread, context=mine)) == 2


async def test_messages_at_once_on_one_thread_all_stay(support: Support) -> None:
    thread = str(uuid4())
    await asyncio.gather(*(support.ask("谢谢" + "!" * n, thread=thread) for n in range(8)))
    log = await support.history(thread)
    assert sorted(m.text for m in log if isinstance(m, HumanMessage)) == sorted(
        "谢谢" + "!" * n for n in range(8)
    )
    assert [type(m) for m in log] == [HumanMessage, AIMessage] * 8


async def test_an_answer_streams_in_pieces_that_make_the_reply(support: Support) -> None:
    events = [event async for event in support.stream("年付套餐买错了能退款吗")]
    pieces, reply = [e for e in events if isinstance(e, str)], events[-1]
    assert isinstance(reply, Reply)
    assert len(pieces) > 3
    assert "".join(pieces).strip() == reply.answer.strip()


async def test_a_stream_that_is_left_early_ends_its_turn_and_the_message_may_be_sent_again(
    support: Support,
) -> None:
    thread, message = str(uuid4()), str(uuid4())
    stream = support.stream("年付套餐买错了能退款吗", thread=thread, message_id=message)
    async for _ in stream:
        break
    await stream.aclose()
    reply = await support.ask("年付套餐买错了能退款吗", thread=thread, message_id=message)
    assert [m.text for m in await support.history(thread) if m.type == "ai"][1:] == [reply.answer]


async def test_a_turn_tells_its_route_its_search_and_its_sources_beside_the_text(support: Support) -> None:
    events = [event async for event in support.stream("年付套餐买错了能退款吗")]
    told = [event for event in events if isinstance(event, dict)]
    kinds = [event["type"] for event in told]
    assert [k for n, k in enumerate(kinds) if k not in kinds[:n]] == [
        "route", "tool_call", "tool_result", "retrieval", "citations",
    ]  # fmt: skip
    assert all(event["reason"] for event in told if event["type"] == "route")
    reply = events[-1]
    assert isinstance(reply, Reply)
    assert [c["id"] for c in told[-1]["citations"]] == [c.id for c in reply.citations]


async def test_the_same_question_gets_the_same_answer(support: Support) -> None:
    first, second = [await support.ask("发票抬头写错了怎么改") for _ in range(2)]
    assert (first.answer, first.citations) == (second.answer, second.citations)


async def test_an_unknown_collection_is_refused_by_name_and_the_message_is_kept(support: Support) -> None:
    thread = str(uuid4())
    with pytest.raises(RetrievalError, match="nowhere"):
        await support.ask("怎么退款", thread=thread, context=Context(collection="nowhere"))
    with pytest.raises(RetrievalError, match="nowhere"):  # small talk looks nothing up
        await support.ask("谢谢", context=Context(collection="nowhere"))
    assert [m.text for m in await support.history(thread)] == ["怎么退款"]
    reply = await support.ask("怎么退款", thread=thread)
    assert reply.citations


async def test_a_model_out_of_reach_is_a_typed_error_and_the_thread_goes_on(config: Settings) -> None:
    dead = config.model_copy(
        update={"openai_base_url": "http://127.0.0.1:9/v1", "chat_model": "served", "request_retries": 0}
    )
    thread = str(uuid4())
    async with open_support(dead) as support:
        with pytest.raises(ModelError, match="OPENAI_BASE_URL"):
            await support.ask("年付套餐能退款吗", thread=thread)
        reply = await support.ask("年付套餐能退款吗", thread=thread, context=Context(model="offline"))
        with pytest.raises(
            ModelError, match="OPENAI_BASE_URL"
        ):  # the rewriting of a follow-up is a call, too
            await support.ask("那月付的呢", thread=thread)
        log = await support.history(thread)
    assert reply.citations
    assert [m.text for m in log if isinstance(m, HumanMessage)] == [
        "年付套餐能退款吗",
        "年付套餐能退款吗",
        "那月付的呢",
    ]
