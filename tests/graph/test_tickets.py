"""Hand-over on the whole graph: who gets a person, what the person gets, and how the agent comes back."""

from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage

import nodes.scene
from graph.desk import answer_ticket, give_back
from graph.support import Support
from nodes.loop import MAX_STEPS
from nodes.phrases import GIVEN_BACK, HELD
from nodes.state import Context
from store.erasure import forget
from store.errors import AccessDeniedError, ActionRefusedError, MalformedError, NotFoundError
from store.leftovers import rows_left
from store.settings import Settings
from store.threads import Owner
from store.tickets import list_tickets, ticket, ticket_messages
from tests.graph.commands import supportpilot
from tests.scripted import calling, scripted

ANN = Context(user_id="ann")
STAFF = Context(user_id="sam", role="staff")


async def test_a_conversation_goes_to_a_person_and_comes_back(desk: Support) -> None:
    thread, pool = str(uuid4()), desk.resources.pool
    await desk.ask("办公室可以带宠物吗", thread=thread, context=ANN)
    reply = await desk.ask("好的，转吧", thread=thread, context=ANN)
    assert reply.ticket is not None
    assert str(reply.ticket) in reply.answer
    opened = await ticket(pool, "default", reply.ticket)
    assert (opened.user_id, opened.reason, str(opened.thread_id)) == ("ann", "asked for a person", thread)
    assert "宠物" in opened.summary
    assert opened.open_questions == ["办公室可以带宠物吗"]
    assert {one.tool for one in opened.tried} == {"search_kb"}

    before = len(await desk.history(thread, context=ANN))
    reply = await desk.ask("订单号是 A-17", thread=thread, context=ANN)
    assert (reply.answer, reply.steps) == (HELD["zh"], [])
    assert len(await desk.history(thread, context=ANN)) == before + 1
    await answer_ticket(desk, opened.ticket_id, "可以带猫。", by=STAFF)
    said = [(one.author, one.text) for one in await ticket_messages(pool, opened.ticket_id)]
    assert said == [("user", "订单号是 A-17"), ("sam", "可以带猫。")]
    last = (await desk.history(thread, context=ANN))[-1]
    assert isinstance(last, AIMessage)
    assert (last.text, last.additional_kwargs) == ("【人工客服】可以带猫。", {"author": "sam"})

    for _ in range(2):
        closed = await give_back(desk, opened.ticket_id, by=STAFF)
        assert closed.closed_by == "sam"
    log = await desk.history(thread, context=ANN)
    assert sum(m.text == GIVEN_BACK["zh"] for m in log) == 1
    with pytest.raises(ActionRefusedError, match="is closed"):
        await answer_ticket(desk, opened.ticket_id, "还在吗", by=STAFF)
    reply = await desk.ask("年付套餐买错了能退款吗", thread=thread, context=ANN)
    assert reply.ticket is None
    assert any(citation.id.startswith("kb-002#") for citation in reply.citations)
    again = await desk.ask("转人工", thread=thread, context=ANN)
    assert again.ticket is not None
    assert again.ticket > opened.ticket_id
    second = await ticket(pool, "default", again.ticket)
    assert any(one.startswith("kb-002#") for one in second.evidence)
    assert second.open_questions == []


async def test_asking_again_for_a_person_opens_no_second_ticket(desk: Support) -> None:
    thread = str(uuid4())
    for message in ("I want to talk to a human", "Hello? Get me a person!"):
        reply = await desk.ask(message, thread=thread, context=Context(user_id="bea"))
    assert reply.answer == HELD["en"]
    mine = [one for one in await list_tickets(desk.resources.pool, "default") if one.user_id == "bea"]
    assert len(mine) == 1


async def test_a_question_about_the_staff_is_answered_from_the_articles(desk: Support) -> None:
    reply = await desk.ask("人工客服的服务时间是什么时候", thread=str(uuid4()), context=ANN)
    assert (reply.ticket, bool(reply.citations)) == (None, True)


async def test_a_model_that_never_stops_ends_in_a_ticket_that_says_what_it_tried(
    desk: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = scripted()
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: model)
    searches = [calling(search_kb={"query": f"退款 {n}"}) for n in range(MAX_STEPS)]
    for n, one in enumerate(searches):
        one.tool_calls[0]["id"] = f"call-{n}"
    model.will_say(*searches)
    reply = await desk.ask("年付套餐能退款吗", thread=str(uuid4()), context=ANN)
    assert reply.ticket is not None
    opened = await ticket(desk.resources.pool, "default", reply.ticket)
    assert opened.reason == "too many steps"
    assert [one.args["query"] for one in opened.tried if one.tool == "search_kb"][
        -1
    ] == f"退款 {MAX_STEPS - 1}"


async def test_the_model_hands_over_by_its_tool_and_is_not_asked_again(
    desk: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = scripted()
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: model)
    model.will_say(calling(hand_over={"summary": "用户的银行流水一直导入失败"}))
    reply = await desk.ask("导入一直失败，年付套餐能退款吗", thread=str(uuid4()), context=ANN)
    assert reply.ticket is not None
    opened = await ticket(desk.resources.pool, "default", reply.ticket)
    assert (opened.reason, opened.summary) == ("the agent decided", "用户的银行流水一直导入失败")
    assert len(model.asked) == 1


async def test_what_postgres_refuses_in_a_models_words_breaks_no_ticket(
    desk: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = scripted()
    monkeypatch.setattr(nodes.scene, "chat_model", lambda *_: model)
    model.will_say(
        calling(search_kb={"query": "退款\0政策\ud83d"}), calling(hand_over={"summary": "导入\0失败\ud83d"})
    )
    reply = await desk.ask("导入一直失败，年付套餐能退款吗", thread=str(uuid4()), context=ANN)
    assert reply.ticket is not None
    opened = await ticket(desk.resources.pool, "default", reply.ticket)
    assert opened.summary == "导入失败"
    assert opened.tried[-1].args == {"query": "退款政策"}


async def test_only_the_staff_of_the_tenant_works_on_a_ticket(desk: Support) -> None:
    reply = await desk.ask("转人工", thread=str(uuid4()), context=ANN)
    number = reply.ticket or 0
    for who in (ANN, Context(user_id="eve")):
        with pytest.raises(AccessDeniedError):
            await answer_ticket(desk, number, "退给我", by=who)
        with pytest.raises(AccessDeniedError):
            await give_back(desk, number, by=who)
    with pytest.raises(NotFoundError, match="no ticket"):
        await give_back(desk, number, by=Context(user_id="sam", tenant="other", role="staff"))


async def test_a_person_works_from_another_process(own: Settings, desk: Support) -> None:
    thread = str(uuid4())
    reply = await desk.ask("帮我转人工，发票一直开不出来", thread=thread, context=ANN)
    number = str(reply.ticket)
    supportpilot(own, "tickets", "answer", number, "马上处理", "--as", "lin")
    said = await ticket_messages(desk.resources.pool, reply.ticket or 0)
    assert [(one.author, one.text) for one in said] == [("lin", "马上处理")]
    assert "closed by lin" in supportpilot(own, "tickets", "close", number, "--as", "lin")
    log = await desk.history(thread, context=ANN)
    assert [type(m) for m in log] == [HumanMessage, AIMessage, AIMessage, AIMessage]
    assert (await desk.ask("谢谢", thread=thread, context=ANN)).answer != HELD["zh"]


async def test_forgetting_a_user_with_the_threads_leaves_no_ticket_behind(desk: Support) -> None:
    gone = Context(user_id="gone")
    thread = (await desk.ask("转人工", context=gone)).thread_id
    await desk.ask("我的手机号换了", thread=thread, context=gone)
    owner, memories = Owner(gone.tenant, gone.user_id), desk.resources.memories
    assert (await rows_left(desk.resources.pool, owner))["tickets"] == 1
    receipt = await forget(memories, owner, threads=True)
    assert receipt.rows["tickets"] == 1
    assert await rows_left(desk.resources.pool, owner, [thread]) == {}


async def test_an_empty_answer_and_a_malformed_name_are_typed_errors_and_nothing_is_said(
    desk: Support,
) -> None:
    thread, pool = str(uuid4()), desk.resources.pool
    await desk.ask("办公室可以带宠物吗", thread=thread, context=ANN)
    number = (await desk.ask("好的，转吧", thread=thread, context=ANN)).ticket
    assert number is not None
    before = await desk.history(thread, context=ANN)
    for text in ("", "\x00", "\ud83d \n", "\u200b"):
        with pytest.raises(ActionRefusedError, match="the answer is empty"):
            await answer_ticket(desk, number, text, by=STAFF)
    nobody = Context(user_id="a\x00", role="staff")
    with pytest.raises(MalformedError, match=r"User 'a\\x00'"):
        await answer_ticket(desk, number, "可以。", by=nobody)
    with pytest.raises(MalformedError, match=r"User 'a\\x00'"):
        await give_back(desk, number, by=nobody)
    assert await ticket_messages(pool, number) == []
    assert await desk.history(thread, context=ANN) == before
